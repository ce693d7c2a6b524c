import { describe, expect, it } from 'vitest'
import { combineStates, requiredChecksState, type StatusState } from '../protections.policy.ts'

describe('statuses', () => {
  it.each<[StatusState[], string]>([
    [[], 'pending'],
    [['success', 'skipped'], 'success'],
    [['success', 'pending'], 'pending'],
    [['success', 'warning'], 'failure'],
    [['error', 'pending'], 'failure'],
  ])('%j combine to %s', (states, expected) => {
    expect(combineStates(states)).toBe(expected)
  })

  it('pass a rule if each pattern matches and all matching statuses succeed', async () => {
    const of = (states: Record<string, StatusState>) =>
      Object.entries(states).map(([context, state]) => ({ context, state }))
    const latest = of({ 'ci/build/linux': 'success', 'ci/lint': 'skipped', other: 'failure' })
    expect(await requiredChecksState(['ci/*'], latest)).toBe('success')
    expect(await requiredChecksState(['ci/*', 'deploy'], latest)).toBe('pending')
    expect(await requiredChecksState(['ci/*', 'deploy', 'other'], latest)).toBe('failure')
    expect(await requiredChecksState([], latest)).toBe('failure')
    expect(await requiredChecksState(['ci/*'], [])).toBe('pending')
  })
})
