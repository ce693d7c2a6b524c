import cluster from 'node:cluster'

/** The process that an operator started: the supervisor, seen from a worker. */
export const serverPid = (): number => (cluster.isWorker ? process.ppid : process.pid)
