-- A session of Neovim with 'waybill lsp', started by check-editor.py.
-- Prints one line for each result, and quits.
local program, path = vim.env.WAYBILL, vim.env.MANIFEST

local function fail(message)
  print("failed: " .. message)
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then fail(what) end
end

vim.cmd("edit " .. vim.fn.fnameescape(path))
local client = vim.lsp.start_client({
  name = "waybill",
  cmd = { program, "lsp" },
  root_dir = vim.fn.fnamemodify(path, ":h"),
})
vim.lsp.buf_attach_client(0, client)

wait("no diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
print("diagnostic: " .. vim.diagnostic.get(0)[1].message)

-- The name of an endpoint that an included file defines.
vim.fn.search("call: order$")
vim.cmd("normal! $")
vim.lsp.buf.definition()
wait("no definition", function() return vim.fn.expand("%:t") == "endpoints.yaml" end)
print("definition: endpoints.yaml:" .. vim.fn.line("."))
vim.cmd("edit! " .. vim.fn.fnameescape(path))

vim.fn.append("$", "      - get: /x/${steps.order.outputs.")
vim.cmd("normal! G$")
local parameters = vim.lsp.util.make_position_params()
parameters.position.character = #vim.fn.getline("$")
local results = vim.lsp.buf_request_sync(0, "textDocument/completion", parameters, 20000)
local item = results and results[client] and results[client].result.items[1]
if not item then fail("no completion") end
vim.lsp.util.apply_text_edits({ item.textEdit }, 0, "utf-16")
print("completion: " .. vim.trim(vim.fn.getline("$")))
vim.cmd("qall!")
