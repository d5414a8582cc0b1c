mkdir notes && echo hello > notes/a.txt
