// What Debian's archive of libcurl wants besides: functions for SSH, RTMP, LDAP and Kerberos, none of which Waybill speaks:
// a transfer may have the schemes http and https alone. These stand in for libraries that would otherwise have to be there,
// not all of which there are archives of. Whatever they are asked they say that there is nothing, or that it has failed.
#ifdef WAYBILL_LINKS_LIBCURL

#include <stddef.h>

// Of libssh2 and librtmp: there is no session, or nothing to do, as at libcurl's beginning and end.
#define NOTHING(each) \
    each(RTMP_Alloc) each(RTMP_Close) each(RTMP_Connect1) each(RTMP_ConnectStream) each(RTMP_Free) each(RTMP_Init) \
    each(RTMP_Read) each(RTMP_SetBufferMS) each(RTMP_SetupURL) each(RTMP_Write) each(libssh2_agent_connect) \
    each(libssh2_agent_disconnect) each(libssh2_agent_free) each(libssh2_agent_get_identity) \
    each(libssh2_agent_init) each(libssh2_agent_list_identities) each(libssh2_agent_userauth) \
    each(libssh2_channel_free) each(libssh2_channel_read_ex) each(libssh2_channel_send_eof) \
    each(libssh2_channel_wait_closed) each(libssh2_channel_wait_eof) each(libssh2_channel_write_ex) \
    each(libssh2_exit) each(libssh2_hostkey_hash) each(libssh2_init) each(libssh2_knownhost_add) \
    each(libssh2_knownhost_checkp) each(libssh2_knownhost_del) each(libssh2_knownhost_free) \
    each(libssh2_knownhost_get) each(libssh2_knownhost_init) each(libssh2_knownhost_readfile) \
    each(libssh2_knownhost_writefile) each(libssh2_scp_recv2) each(libssh2_scp_send64) \
    each(libssh2_session_abstract) each(libssh2_session_block_directions) each(libssh2_session_callback_set) \
    each(libssh2_session_disconnect_ex) each(libssh2_session_flag) each(libssh2_session_free) \
    each(libssh2_session_handshake) each(libssh2_session_hostkey) each(libssh2_session_init_ex) \
    each(libssh2_session_last_errno) each(libssh2_session_last_error) each(libssh2_session_method_pref) \
    each(libssh2_session_set_blocking) each(libssh2_sftp_close_handle) each(libssh2_sftp_init) \
    each(libssh2_sftp_last_error) each(libssh2_sftp_mkdir_ex) each(libssh2_sftp_open_ex) each(libssh2_sftp_read) \
    each(libssh2_sftp_readdir_ex) each(libssh2_sftp_rename_ex) each(libssh2_sftp_rmdir_ex) \
    each(libssh2_sftp_seek64) each(libssh2_sftp_shutdown) each(libssh2_sftp_stat_ex) each(libssh2_sftp_statvfs) \
    each(libssh2_sftp_symlink_ex) each(libssh2_sftp_unlink_ex) each(libssh2_sftp_write) \
    each(libssh2_userauth_authenticated) each(libssh2_userauth_keyboard_interactive_ex) \
    each(libssh2_userauth_list) each(libssh2_userauth_password_ex) each(libssh2_userauth_publickey_fromfile_ex) \
    each(libssh2_version)

// Of libldap and liblber: a code below zero is a failure.
#define FAILURE(each) \
    each(ber_bvfree) each(ber_free) each(ber_memfree) each(ber_memvfree) each(ber_sockbuf_add_io) \
    each(ldap_abandon_ext) each(ldap_err2string) each(ldap_free_urldesc) each(ldap_get_attribute_ber) \
    each(ldap_get_dn_ber) each(ldap_get_option) each(ldap_init_fd) each(ldap_memfree) each(ldap_msgfree) \
    each(ldap_msgtype) each(ldap_parse_result) each(ldap_parse_sasl_bind_result) each(ldap_pvt_url_scheme2proto) \
    each(ldap_result) each(ldap_sasl_bind) each(ldap_search_ext) each(ldap_set_option) each(ldap_start_tls) \
    each(ldap_unbind_ext) each(ldap_url_parse)

// Of Kerberos: GSS_S_FAILURE (RFC 2744, section 3.9.1).
#define REFUSAL(each) \
    each(gss_delete_sec_context) each(gss_display_name) each(gss_display_status) each(gss_import_name) \
    each(gss_init_sec_context) each(gss_inquire_context) each(gss_release_buffer) each(gss_release_name) \
    each(gss_unwrap) each(gss_wrap)

#define GIVE_NOTHING(name) \
    void *name(void); \
    void *name(void) { return NULL; }
NOTHING(GIVE_NOTHING)

#define GIVE_FAILURE(name) \
    long name(void); \
    long name(void) { return -1; }
FAILURE(GIVE_FAILURE)

#define GIVE_REFUSAL(name) \
    unsigned int name(void); \
    unsigned int name(void) { return 13u << 16; }
REFUSAL(GIVE_REFUSAL)

void *GSS_C_NT_HOSTBASED_SERVICE;

#endif
