import type { FromSupervisor } from './messages.ts'

type Welcome = Extract<FromSupervisor, { readonly kind: 'welcome' }>
type Ended = Extract<FromSupervisor, { readonly kind: 'ended' }>
type Listener = (names: readonly string[]) => void

/** The other workers of a supervisor, named by its run and their numbers. */
export class OtherWorkers {
  #run = ''
  #self = 0
  #before: ReadonlySet<number> = new Set()
  /** Exited workers among the earlier and later ones. */
  readonly #ended = new Set<number>()
  readonly #listeners = new Set<Listener>()

  /** Returns the name of this worker. */
  meet({ run, id, others }: Pick<Welcome, 'id' | 'others' | 'run'>): string {
    this.#run = run
    this.#self = id
    this.#before = new Set(others)
    return this.#nameOf(id)
  }

  end({ id, isKilled }: Ended): void {
    this.#ended.add(id)
    for (const listener of this.#listeners) listener(isKilled ? [this.#nameOf(id)] : [])
  }

  ended(names: readonly string[]): string[] {
    return names.filter((name) => {
      const [run, number] = name.split('-')
      return run !== this.#run || this.#hasEnded(Number(number))
    })
  }

  onEnded(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #hasEnded(id: number): boolean {
    return this.#ended.has(id) || (id < this.#self && !this.#before.has(id))
  }

  #nameOf(id: number): string {
    return `${this.#run}-${id}`
  }
}
