import { expect, it } from 'vitest'
import { commandFaults } from './check-commands.ts'
import type { RefCommand } from './receive-request.ts'

const ZERO = '0'.repeat(40)
const create = (ref: string): RefCommand => ({ ref, oldOid: ZERO, newOid: '1'.repeat(40), kind: 'create' })

it('finds bad, reserved and repeated names', () => {
  const commands = ['refs/heads/a', 'refs/heads/b', 'refs/heads/a', 'refs/heads/..', 'main', 'refs/pull/1'].map(create)
  const faults = commandFaults(commands, ['refs/pull'])
  expect(commands.map((command) => faults.get(command))).toEqual([
    'multiple updates for one ref',
    undefined,
    'multiple updates for one ref',
    'funny refname',
    'funny refname',
    'hook declined to update refs/pull/1',
  ])
})

it('takes time in proportion to the number of commands', () => {
  const commands = Array.from({ length: 100_000 }, (_, index) => create(`refs/tags/t${index}`))
  let fewest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && fewest >= 1_000; attempt++) {
    const start = process.cpuUsage()
    expect(commandFaults(commands, []).size).toBe(0)
    fewest = Math.min(fewest, process.cpuUsage(start).user / 1000)
  }
  expect(fewest).toBeLessThan(1_000)
})
