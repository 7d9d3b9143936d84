// Package tensorboard writes event files of scalars, which TensorBoard reads.
//
// A file is a sequence of records, each of one Event message:
//
//	uint64 length, uint32 masked CRC-32C of the length,
//	bytes  data,   uint32 masked CRC-32C of the data
//
// all little-endian. The messages are protocol buffers:
//
//	Event   { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5 }
//	Summary { repeated Value value = 1 }
//	Value   { string tag = 1; float simple_value = 2 }
//
// The first event of a file holds only the version.
//
// Source: tensorboard/compat/proto/event.proto and summary.proto, and
// tensorboard/summary/writer/record_writer.py, version 2.
package tensorboard
