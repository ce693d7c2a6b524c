/** A running server: one row for any number of worker processes. Times are those of the database, in milliseconds. */
export interface NodeTable {
  /** Identifies one run of one server; later runs have another value. */
  instance: string
  name: string
  /** The host name of the machine. */
  host: string
  /** The id of the process that was started: the supervisor if there is one. */
  pid: number
  version: string
  /** Name of the newest migration of this version. */
  schema: string
  /** Host and port of the listener; the port is empty if the system chose it. */
  address: string
  /** Number of processes that handle requests. */
  workers: number
  started_at: number
  heartbeat_at: number
  /** Offset of the machine's clock from that of the database, in milliseconds; positive if it is ahead. */
  clock_offset: number
  /** The process that sends the heartbeats; changes with the leader of the workers. */
  sender_pid: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    node: NodeTable
  }
}
