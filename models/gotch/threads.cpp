//go:build gotch && cgo

// What gotch leaves out. Declared by hand: the header takes seconds to compile.
namespace at {
void set_num_threads(int);
}

extern "C" void marsgym_set_num_threads(int n) { at::set_num_threads(n); }
