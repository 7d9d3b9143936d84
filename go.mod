module marsgym

go 1.26
