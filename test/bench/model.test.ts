import { describe, expect, it } from 'vitest'
import { DEMAND, limitsOf, nodesFor, ratesOf, simulateNodes } from '../../bench/model/model.ts'
import { erlangC, meanWait, quantileOfWait } from '../../bench/model/queues.ts'
import { randomOf } from '../../bench/model/random.ts'
import { quantile, simulate } from '../../bench/model/simulate.ts'

describe('the model of many nodes', () => {
  it('knows the values of M/M/c', () => {
    // Tables of Erlang's C formula: 1/3 for two servers and one erlang, 0.4092 for ten and eight; M/M/1 is the load.
    expect(erlangC(2, 1)).toBeCloseTo(1 / 3, 10)
    expect(erlangC(10, 8)).toBeCloseTo(0.4092, 4)
    expect(erlangC(1, 0.7)).toBeCloseTo(0.7, 10)
    expect(erlangC(2, 2)).toBe(1)
    expect(meanWait({ servers: 1, perSecond: 8, service: 0.1 })).toBeCloseTo(0.4, 10)
    expect(meanWait({ servers: 1, perSecond: 11, service: 0.1 })).toBe(Infinity)
    expect(quantileOfWait({ servers: 1, perSecond: 8, service: 0.1 }, 0.5)).toBeCloseTo(Math.log(1.6) * 0.5, 10)
    expect(quantileOfWait({ servers: 10, perSecond: 1, service: 0.1 }, 0.99)).toBe(0)
  })

  it('simulates M/M/c as the formulas say', () => {
    const queue = { servers: 4, perSecond: 32, service: 0.1 }
    const flow = { name: 'all', perSecond: queue.perSecond, steps: () => [{ station: 0, mean: queue.service }] }
    const options = { stations: [{ name: 'one', servers: queue.servers }], flows: [flow], seconds: 2_000 }
    const { times, busy } = simulate({ ...options, random: randomOf(1) })
    const all = times.get('all')!
    const mean = all.reduce((sum, time) => sum + time, 0) / all.length
    expect(all.length / (0.8 * options.seconds)).toBeCloseTo(queue.perSecond, -0.3)
    expect(mean / (meanWait(queue) + queue.service)).toBeGreaterThan(0.95)
    expect(mean / (meanWait(queue) + queue.service)).toBeLessThan(1.05)
    expect(busy[0]).toBeCloseTo(0.8, 1)
    expect(quantile(all, 0.5)).toBeLessThan(mean)
  })

  it('gives the same for the same start of its random numbers, and more nodes for more load', () => {
    const options = { seconds: 1, seed: 7 }
    expect(simulateNodes(DEMAND, 3, options)).toEqual(simulateNodes(DEMAND, 3, options))
    expect(simulateNodes(DEMAND, 3, options)).not.toEqual(simulateNodes(DEMAND, 3, { ...options, seed: 8 }))
    const { requestsPerSecond, pushesPerSecond } = DEMAND
    const larger = { ...DEMAND, requestsPerSecond: requestsPerSecond * 4, pushesPerSecond: pushesPerSecond * 4 }
    const [few, many] = [DEMAND, larger].map((demand) => nodesFor(demand, options)!.nodes)
    expect(few!).toBeLessThan(many!)
    expect(ratesOf(DEMAND).statements * 4).toBeCloseTo(ratesOf(larger).statements, 6)
    const limits = limitsOf(larger, many!).map(({ times }) => times)
    expect(limits).toEqual(limits.toSorted((a, b) => a - b))
  })
})
