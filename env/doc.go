// Package env plays games in lockstep.
//
// A [Game] is the handle of one game under one config, with the type of its
// state erased. From it come a [Batch], which plays many games at once in flat
// buffers that are allocated once; an [Env], the same for one game, in the
// manner of Gymnasium; a [Position], for search and for people; and, where the
// game has one, its exact [Solution].
//
//	b := g.NewBatch(1024, 0)
//	b.Reset(seed)
//	buf := b.Buffers()
//	for range steps {
//		// read buf.Obs and buf.Mask, write buf.Action
//		if err := b.Step(); err != nil {
//			return err
//		}
//		// read buf.Reward, buf.Terminated and buf.Truncated
//	}
package env
