import { flushCompileCache } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { ObjectFormat } from '../object/format.ts'
import { createStoreCaches } from '../packs/object-store.ts'
import { answer, type GraphQueries } from './ancestors.ts'
import { RepoView, type Walk } from './repo-view.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'

/** A query about one repository. The answer has the number of the query. */
export interface GraphQuestion {
  readonly id: number
  readonly path: string
  readonly format: ObjectFormat
  readonly kind: keyof GraphQueries
  readonly query: GraphQueries[keyof GraphQueries]['query']
}

/** `undefined`: git must answer, for the given reason. */
export interface GraphAnswer {
  readonly id: number
  readonly value?: unknown
  readonly reason?: string
}

/** Says that the files of a repository were replaced or removed, so that the thread closes them. */
export interface GraphDrop {
  readonly drop: string
}

interface Job {
  readonly id: number
  readonly view: RepoView
  readonly walk: Walk<unknown>
  busy: number
}

const PAGE_BYTES = 12 * 1024 * 1024
const OBJECT_BYTES = 24 * 1024 * 1024
/** Maximum bytes of all open repositories; the one in use may be larger. */
const MAX_VIEW_BYTES = 128 * 1024 * 1024
const MAX_VIEWS = 32
/** Milliseconds a walk runs before the next walk continues. */
const TURN_MS = 5
/** Milliseconds of work after which a walk is aborted. */
const MAX_BUSY_MS = 60_000

class GraphWorker {
  readonly #caches = createStoreCaches(PAGE_BYTES, OBJECT_BYTES)
  /** The most recently used one is last. */
  readonly #views = new Map<string, RepoView>()
  readonly #jobs: Job[] = []
  #running = false

  take(question: GraphQuestion): void {
    const { id, path, format, kind, query } = question
    try {
      const view = this.#open(path, format)
      this.#jobs.push({ id, view, walk: answer(view, kind, query), busy: 0 })
    } catch (error) {
      this.#send({ id, reason: reasonOf(error) })
    }
    if (!this.#running) void this.#run()
  }

  /** Closes the files of a repository; its next view takes over the memory. */
  drop(path: string): void {
    const view = this.#views.get(path)
    if (view) this.#end(view)
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
      if (!this.#work(job)) this.#jobs.push(job)
      // Lets new queries in.
      await nextTurn()
    }
    this.#running = false
  }

  /** Runs one step of a job; returns true if the job has ended. */
  #work(job: Job): boolean {
    const begin = performance.now()
    try {
      for (;;) {
        const step = job.walk.next()
        if (step.done) {
          this.#send({ id: job.id, value: step.value })
          break
        }
        const spent = performance.now() - begin
        if (spent < TURN_MS && step.value === 'working') continue
        job.busy += spent
        if (job.busy < MAX_BUSY_MS) return false
        throw new UnsupportedError('the walk took too long')
      }
    } catch (error) {
      job.walk.return(undefined)
      this.#send({ id: job.id, reason: reasonOf(error) })
    }
    if (job.view.isEnded) this.#end(job.view)
    return true
  }

  /** The files stay open while a walk uses them. */
  #end(view: RepoView): void {
    view.end()
    if (!this.#jobs.some((job) => job.view === view)) view.close()
  }

  #open(path: string, format: ObjectFormat): RepoView {
    let view = this.#views.get(path)
    this.#views.delete(path)
    if (!view?.isCurrent()) {
      const earlier = view
      if (earlier) this.#end(earlier)
      view = new RepoView(path, format, { caches: this.#caches, earlier })
    }
    this.#views.set(path, view)
    this.#makeRoom(path)
    return view
  }

  #makeRoom(used: string): void {
    let bytes = 0
    for (const view of this.#views.values()) bytes += view.bytes
    for (const [path, view] of this.#views) {
      if (path === used || (bytes <= MAX_VIEW_BYTES && this.#views.size <= MAX_VIEWS)) return
      bytes -= view.bytes
      this.#views.delete(path)
      this.#end(view)
    }
  }

  #send(message: GraphAnswer): void {
    parentPort!.postMessage(message)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

const worker = new GraphWorker()
// The thread may end with the process, which would not write the code that this thread has compiled.
flushCompileCache()
parentPort!.on('message', (message: GraphQuestion | GraphDrop) => {
  if ('drop' in message) worker.drop(message.drop)
  else worker.take(message)
})
