module marsgym/tools

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.5.0
	golang.org/x/tools v0.30.0
	marsgym v0.0.0
)

replace marsgym => ../

require (
	github.com/edsrzf/mmap-go v1.2.0 // indirect
	github.com/maruel/safetensors v1.1.0 // indirect
	golang.org/x/mod v0.23.0 // indirect
	golang.org/x/sync v0.11.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
