import type { LockMode } from '../../core/platform/concurrency/lock-table.ts'

/** From a worker to the supervisor. `id` is chosen by the worker and repeated in the reply. */
export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'lock'
      readonly id: number
      readonly name: string
      readonly mode: LockMode
      readonly wait: boolean
    }
  | { readonly kind: 'unlock'; readonly id: number }
  | { readonly kind: 'announce'; readonly topic: string; readonly detail: string }
  | { readonly kind: 'ask'; readonly id: number; readonly question: string }
  | { readonly kind: 'answer'; readonly id: number; readonly text: string }

/** From the supervisor to a worker. */
export type FromSupervisor =
  | {
      readonly kind: 'welcome'
      readonly count: number
      readonly slot: number
      /** Numbers of this worker and of all that run; numbers only grow. */
      readonly id: number
      readonly others: readonly number[]
      /** Names this run of the supervisor. */
      readonly run: string
      /** Of the supervisor: wall-clock milliseconds. */
      readonly startedAt: number
      readonly isFirst: boolean
    }
  /** From now on this worker runs events, jobs and the schedule. */
  | { readonly kind: 'lead' }
  /** The whole server will stop: tell balancers. */
  | { readonly kind: 'stopping' }
  /** Finish what runs, then exit. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'locked'; readonly id: number; readonly isGranted: boolean }
  | { readonly kind: 'announced'; readonly topic: string; readonly detail: string }
  /** Another worker has ended; `isKilled`: not of its own accord. */
  | { readonly kind: 'ended'; readonly id: number; readonly isKilled: boolean }
  | { readonly kind: 'asked'; readonly id: number; readonly question: string }
  | { readonly kind: 'answers'; readonly id: number; readonly texts: readonly string[] }
