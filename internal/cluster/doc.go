// Package cluster computes jobs in other processes, over NATS.
//
// A [Coordinator] is an executor: it publishes its tasks as jobs and waits for their
// results. Workers ([Work]) pull jobs from a queue, compute them and send the results to
// the coordinator. The broker in between (package broker, or a NATS cluster) holds the
// queue and the inputs of jobs in memory, and never the only copy of anything: a
// coordinator has all that it needs to publish its jobs again.
//
//	MARSGYM_JOBS    a work queue    marsgym.job.IDENTITY.RUN
//	MARSGYM_INPUTS  chunks of inputs, the oldest dropped first    marsgym.input.DIGEST.NUMBER
//
// A worker sends requests, which the coordinator answers:
//
//	marsgym.run.RUN                 a command asks: does another command use this name?
//	marsgym.run.RUN.ask.WORKER      may it compute a job? A worker drops the job of a coordinator that does not answer
//	marsgym.run.RUN.wanted.WORKER   does the coordinator still want the job that it computes?
//	marsgym.run.RUN.missing.WORKER  an input is missing; the coordinator publishes it again
//	marsgym.run.RUN.result.WORKER   a chunk of a result
//	marsgym.run.RUN.failed.WORKER   the worker could not compute a job
//	marsgym.worker.WORKER           each second: the worker is alive
//	marsgym.refuse.WORKER           the answer of coordinators of another identity
//
// The identity of a process is the digest of the code that it is built of and the digest of
// what a fixed computation finds on its machine ([Identity]). Workers pull jobs of their own
// identity only, and tell coordinators theirs each second, so both sides refuse each other
// before the first job. The go command gives a program no identity that would serve: it records
// a revision only in some builds and none of changes after it, the digest of an executable
// differs between two commands of one build, and a digest that a generator writes is stale
// after the next edit. So these programs embed the sources of the packages that jobs use, and hash
// them when they start.
//
// A job is delivered to one worker at a time, for a lease that the worker renews while it
// computes. When the lease expires it is delivered again, so a job may be computed
// more than once. The first result counts; a later one must be the same, or the
// coordinator stops.
package cluster
