import { randomHex } from '../crypto/crypto.ts'
import type { SharedLocks } from './lock-table.ts'

/** The running processes, whose leases in the database are valid. */
export interface Members {
  /** Names this process in its leases: no other process has the name, whether it ran before or on another machine. */
  readonly self: string
  /** The names whose processes have ended, so that their leases are free. Without unknown names. */
  ended(names: readonly string[]): readonly string[]
  /**
   * Calls `listener` when `ended` may say more than before, with the names of processes that ended without a graceful
   * stop; returns the function that stops it.
   */
  onEnded(listener: (names: readonly string[]) => void): () => void
}

/** Communication between the processes of one server, or of all servers of a cluster. */
export interface Processes extends Members {
  /** Number of processes that share the limits of the server, including this one. */
  readonly count: number
  /** The smallest number, from 0, that no other process of the server has: for directories of their own. */
  readonly slot: number
  /** No other process runs yet: this one prepares the data directory. */
  readonly isFirst: boolean
  /**
   * Wall-clock milliseconds at which the first of them started: older files are leftovers of an earlier server. 0 if
   * that is not known, because there are processes on other machines.
   */
  readonly startedAt: number
  /** Wall-clock milliseconds at which this server started, with all its processes. */
  readonly serverStartedAt: number
  /**
   * Whether some are on other machines: times of files may have whole seconds and come from another clock, and changes
   * of files become visible late.
   */
  readonly acrossMachines: boolean
  /** Locks shared by the processes on all machines. Undefined if this is the only process. */
  readonly locks: SharedLocks | undefined
  /**
   * Tells the other processes, at most once and in no order relative to commits. `detail`: at most a few hundred
   * characters. Without a detail, announcements of one topic that follow each other closely become one.
   */
  announce(topic: string, detail?: string): void
  /** The names of the nodes of a cluster that have other processes than this one. */
  otherNodes(): Promise<readonly string[]>
  /** Calls `listener` for announcements of other processes; returns the function that stops it. */
  onAnnounced(topic: string, listener: (detail: string) => void): () => void
  /** Calls `listener` when announcements of any topic may have been missed; returns the function that stops it. */
  onMissed(listener: () => void): () => void
  /** The answers of the others on this machine; without processes that do not answer within a second. */
  ask(question: string): Promise<readonly string[]>
  /** Answers the questions of other processes on this machine. */
  answer(question: string, give: () => Promise<string>): void
}

/** Used by caches and queues to notify the same ones in the other processes. */
export type Announcer = Pick<Processes, 'announce' | 'onAnnounced' | 'onMissed'>

/** A server of one process. */
export function onlyProcess(): Processes {
  const self = randomHex(8)
  const startedAt = performance.timeOrigin + performance.now()
  return {
    self,
    count: 1,
    slot: 0,
    isFirst: true,
    startedAt,
    serverStartedAt: startedAt,
    acrossMachines: false,
    locks: undefined,
    ended: (names) => names.filter((name) => name !== self),
    onEnded: () => () => {},
    announce() {},
    onAnnounced: () => () => {},
    onMissed: () => () => {},
    otherNodes: async () => [],
    ask: async () => [],
    answer() {},
  }
}

/** The same processes with names that begin with `scope`; names of other scopes are unknown. */
export function withinScope(local: Processes, scope: string): Processes {
  const prefix = `${scope}/`
  return {
    ...local,
    self: prefix + local.self,
    ended: (names) =>
      local
        .ended(names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)))
        .map((name) => prefix + name),
    onEnded: (listener) => local.onEnded((names) => listener(names.map((name) => prefix + name))),
  }
}

/** A directory of only this process: `path`, or `path-1` and so on if other processes run. */
export const ownDirectory = ({ slot }: Pick<Processes, 'slot'>, path: string): string =>
  slot === 0 ? path : `${path}-${slot}`

/** The part of a limit of the server that each of `count` processes may use; at least 1. */
export const shareOf = (limit: number, count: number): number => Math.max(1, Math.floor(limit / count))
