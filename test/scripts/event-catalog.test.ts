import { Type } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { eventCatalog } from '../../scripts/event-catalog.ts'
import type { ModuleParts } from '../../src/core/module.ts'

it('lists who handles each event, and the jobs of each module', () => {
  const handle = async (): Promise<void> => {}
  const modules = [
    { name: 'issues', events: { 'issue.opened': Type.Object({}) }, projections: { 'issue.opened': handle } },
    { name: 'social', projections: { 'issue.opened': [handle, handle] } },
    {
      name: 'hooks',
      events: { 'hook.created': Type.Object({}) },
      subscriptions: { 'issue.opened': handle },
      jobs: { 'hooks.deliver': { payload: Type.Object({}), group: 'hooks', handler: handle } },
    },
  ] as unknown as readonly (ModuleParts & { readonly name: string })[]
  const rows = eventCatalog(modules)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(rows).toEqual([
    '| `hook.created` | hooks |  |  |',
    '| `issue.opened` | issues | issues, social | hooks |',
    '| `hooks.deliver` | hooks | hooks |',
  ])
})
