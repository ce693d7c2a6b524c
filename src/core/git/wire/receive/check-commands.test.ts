import { expect, it } from 'vitest'
import { commandFaults, type RefCommand } from './receive-request.ts'
import { processorTime } from '../../../../../test/harness/growth.ts'
import { MEASURED } from '../../../../../test/harness/measured.ts'

const ZERO = '0'.repeat(40)
const create = (ref: string): RefCommand => ({ ref, oldOid: ZERO, newOid: '1'.repeat(40), kind: 'create' })

it('finds bad, reserved and repeated names', async () => {
  const commands = ['refs/heads/a', 'refs/heads/b', 'refs/heads/a', 'refs/heads/..', 'main', 'refs/pull/1'].map(create)
  const faults = await commandFaults(commands, ['refs/pull'])
  expect(commands.map((command) => faults.get(command))).toEqual([
    'multiple updates for one ref',
    undefined,
    'multiple updates for one ref',
    'funny refname',
    'funny refname',
    'hook declined to update refs/pull/1',
  ])
})

it('takes time proportional to the number of commands', MEASURED, async () => {
  const commands = Array.from({ length: 100_000 }, (_, index) => create(`refs/tags/t${index}`))
  expect(await processorTime(async () => expect((await commandFaults(commands, [])).size).toBe(0))).toBeLessThan(1_000)
})
