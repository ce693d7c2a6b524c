import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { type Child, inBackground, startProcess } from './process.ts'

it('lowers the priority of children of background work, except those that outlive it', async () => {
  const priorityOf = (child: Child): number => getPriority(child.pid)
  const own = getPriority()
  const start = (isShared: boolean): Child => startProcess('cat', [], { isShared })
  const [plain, nice, low, shared] = [
    start(false),
    startProcess('cat', [], { niceness: 5 }),
    ...(await inBackground(async () => [await Promise.resolve().then(() => start(false)), start(true)])),
  ] as [Child, Child, Child, Child]
  try {
    expect([plain, nice, low, shared].map(priorityOf)).toEqual([own, own + 5, own + 10, own])
  } finally {
    for (const child of [plain, nice, low, shared]) child.kill()
  }
})
