import { exponential, type Random } from './random.ts'

/** Equal servers with one queue in the order of arrival. */
export interface Station {
  readonly name: string
  readonly servers: number
}

/** Work at a station: the mean of an exponential time in seconds. */
export interface Step {
  readonly station: number
  readonly mean: number
}

/** Requests of one kind, which arrive at random. */
export interface Flow {
  readonly name: string
  readonly perSecond: number
  /** What one of them does, step by step. */
  steps(random: Random): readonly Step[]
}

interface Simulation {
  readonly stations: readonly Station[]
  readonly flows: readonly Flow[]
  /** Simulated seconds; the first fifth is not counted. */
  readonly seconds: number
  readonly random: Random
}

export interface Simulated {
  /** Times from arrival to end in seconds, by flow, sorted. */
  readonly times: ReadonlyMap<string, readonly number[]>
  /** Share of the time for which the servers of a station are busy, in the order of the stations. */
  readonly busy: readonly number[]
}

interface Visit {
  readonly flow: Flow
  readonly arrived: number
  readonly steps: readonly Step[]
  at: number
}

interface Event {
  readonly time: number
  /** Ends its step; undefined for an arrival. */
  readonly visit?: Visit
  readonly flow: Flow
}

const WARM_UP = 0.2

/** Discrete events: each request visits its stations one after the other and waits where all servers are busy. */
export function simulate({ stations, flows, seconds, random }: Simulation): Simulated {
  const events = new EventHeap()
  const free = stations.map(({ servers }) => servers)
  const queues = stations.map(() => new Fifo<Visit>())
  const work = stations.map(() => 0)
  const times = new Map<string, number[]>(flows.map(({ name }) => [name, []]))
  const counted = seconds * WARM_UP
  const arriveNext = (flow: Flow, now: number): void =>
    events.push({ time: now + exponential(random, 1 / flow.perSecond), flow })
  const serve = (visit: Visit, now: number): void => {
    const { station, mean } = visit.steps[visit.at]!
    const taken = exponential(random, mean)
    if (now >= counted) work[station]! += Math.min(taken, Math.max(0, seconds - now))
    events.push({ time: now + taken, visit, flow: visit.flow })
  }
  const enter = (visit: Visit, now: number): void => {
    const step = visit.steps[visit.at]
    if (step === undefined) {
      if (visit.arrived >= counted) times.get(visit.flow.name)!.push(now - visit.arrived)
    } else if (free[step.station]! > 0) {
      free[step.station]!--
      serve(visit, now)
    } else queues[step.station]!.push(visit)
  }
  for (const flow of flows) if (flow.perSecond > 0) arriveNext(flow, 0)
  for (let event = events.pop(); event !== undefined && event.time < seconds; event = events.pop()) {
    const { time, visit, flow } = event
    if (visit === undefined) {
      arriveNext(flow, time)
      enter({ flow, arrived: time, steps: flow.steps(random), at: 0 }, time)
      continue
    }
    const { station } = visit.steps[visit.at++]!
    const next = queues[station]!.shift()
    if (next === undefined) free[station]!++
    else serve(next, time)
    enter(visit, time)
  }
  for (const list of times.values()) list.sort((a, b) => a - b)
  return { times, busy: stations.map(({ servers }, i) => work[i]! / (servers * (seconds - counted))) }
}

/** The value below which a share of sorted numbers lies; NaN of none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

class Fifo<T> {
  #items: T[] = []
  #first = 0

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    const item = this.#items[this.#first]
    if (item === undefined) return undefined
    if (++this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
    return item
  }
}

/** A binary heap: the earliest event first. */
class EventHeap {
  readonly #events: Event[] = []

  push(event: Event): void {
    const events = this.#events
    let at = events.length
    events.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (events[parent]!.time <= event.time) break
      events[at] = events[parent]!
      at = parent
    }
    events[at] = event
  }

  pop(): Event | undefined {
    const events = this.#events
    const [top] = events
    const last = events.pop()
    if (last === undefined || events.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= events.length) break
      if (child + 1 < events.length && events[child + 1]!.time < events[child]!.time) child++
      if (events[child]!.time >= last.time) break
      events[at] = events[child]!
      at = child
    }
    events[at] = last
    return top
  }
}
