import type { SharedLocks } from './lock-table.ts'

/** What the processes of one server, or of all servers of a cluster, have in common. */
export interface Processes {
  /** How many share the limits of the server, this one included. */
  readonly count: number
  /** The smallest number, from 0, that no other process of the server has: for directories of their own. */
  readonly slot: number
  /** No other process runs yet: this one prepares the data directory. */
  readonly isFirst: boolean
  /**
   * Wall-clock milliseconds at which the first of them started: what is older was left by an earlier server. 0 where
   * that is not known, because there are processes on other machines.
   */
  readonly startedAt: number
  /**
   * Some are on other machines: times of files may have whole seconds and are those of another clock, and changes of
   * files are seen late.
   */
  readonly acrossMachines: boolean
  /** Of the processes on all machines. Undefined where this is the only one. */
  readonly locks: SharedLocks | undefined
  /**
   * Tells the other processes, at most once and in no order relative to commits. `detail`: at most a few hundred
   * characters. Without a detail, announcements of one topic that follow each other closely become one.
   */
  announce(topic: string, detail?: string): void
  /** Calls `listener` for announcements of other processes; returns the function that stops it. */
  onAnnounced(topic: string, listener: (detail: string) => void): () => void
  /** Calls `listener` when announcements of any topic may have been missed; returns the function that stops it. */
  onMissed(listener: () => void): () => void
  /** The answers of the others on this machine; those that do not answer within a second are left out. */
  ask(question: string): Promise<readonly string[]>
  /** Answers what others on this machine ask. */
  answer(question: string, give: () => Promise<string>): void
}

/** What caches and queues need, which tell their like in the other processes. */
export type Announcer = Pick<Processes, 'announce' | 'onAnnounced' | 'onMissed'>

/** A server of one process. */
export const onlyProcess = (): Processes => ({
  count: 1,
  slot: 0,
  isFirst: true,
  startedAt: performance.timeOrigin + performance.now(),
  acrossMachines: false,
  locks: undefined,
  announce() {},
  onAnnounced: () => () => {},
  onMissed: () => () => {},
  ask: async () => [],
  answer() {},
})

/** A directory of this process alone: `path`, or `path-1` and so on beside other processes. */
export const ownDirectory = ({ slot }: Pick<Processes, 'slot'>, path: string): string =>
  slot === 0 ? path : `${path}-${slot}`

/** The part of a limit of the server that each of `count` processes may use; at least 1. */
export const shareOf = (limit: number, count: number): number => Math.max(1, Math.floor(limit / count))
