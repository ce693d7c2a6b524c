import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { type Child, inBackground, startProcess } from './process.ts'

it('lets children of background work give way, but not those that outlive it', async () => {
  const priorityOf = (child: Child): number => getPriority(child.pid)
  const own = getPriority()
  const start = (isShared: boolean): Child => startProcess('cat', [], { isShared })
  const [plain, low, shared] = [
    start(false),
    ...(await inBackground(async () => [await Promise.resolve().then(() => start(false)), start(true)])),
  ] as [Child, Child, Child]
  try {
    expect([plain, low, shared].map(priorityOf)).toEqual([own, own + 10, own])
  } finally {
    for (const child of [plain, low, shared]) child.kill()
  }
})
