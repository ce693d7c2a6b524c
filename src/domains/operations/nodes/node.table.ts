/** A running server: one row however many worker processes it has. Times are those of the database, in milliseconds. */
export interface NodeTable {
  /** Of one run of one server: no later run has it. */
  instance: string
  name: string
  /** Of the machine. */
  host: string
  /** Of the process that was started: the supervisor where there is one. */
  pid: number
  version: string
  /** Name of the newest migration that it knows. */
  schema: string
  /** Host and port on which it listens; the port is empty where the system chose it. */
  address: string
  /** Processes that answer requests. */
  workers: number
  started_at: number
  heartbeat_at: number
  /** Of the machine's clock from that of the database: milliseconds, above 0 where it is ahead. */
  clock_offset: number
  /** The process that sends the heartbeats: another one when the leader of the workers changes. */
  sender_pid: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    node: NodeTable
  }
}
