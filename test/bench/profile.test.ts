import { expect, it } from 'vitest'
import { sharesOf } from '../../bench/mix/profile.ts'

const node = (id: number, url: string, functionName: string, children: readonly number[] = []) => ({
  id,
  callFrame: { url, functionName },
  children,
})

it('counts native functions for the part that calls them, and no idle time', () => {
  const nodes = [
    node(1, '', '(root)', [2, 3, 7, 8]),
    node(2, '', '(idle)'),
    node(3, 'file:///app/node_modules/fastify/lib/route.js', 'handler', [4, 6]),
    node(4, 'file:///app/src/domains/issues/issues/issue.store.ts', 'find', [5]),
    node(5, '', 'all'),
    node(6, '', 'writeUtf8String'),
    node(7, '', '(garbage collector)'),
    node(8, 'file:///app/src/domains/issues/issues/issues.service.ts', 'get'),
  ]
  const samples = [2, 3, 4, 5, 6, 7, 8]
  const timeDeltas = [900, 10, 20, 30, 15, 5, 20]

  expect(Object.fromEntries(sharesOf({ nodes, samples, timeDeltas }))).toEqual({
    HTTP: 0.1,
    SQL: 0.5,
    socket: 0.15,
    'garbage collection': 0.05,
    others: 0.2,
  })
})
