import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { type Child, inBackground, startProcess } from './process.ts'

it('lets children of background work give way, but not those that outlive it, and others as much as asked', async () => {
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
