import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'

/** In a process of its own, whose heap no other test fills. */
const program = `
  import { releaseWhenQuiet } from ${JSON.stringify(new URL('./heap.ts', import.meta.url).pathname)}
  const resident = () => Math.round(process.memoryUsage.rss() / 1024 ** 2)
  let kept = []
  for (let i = 0; i < 400_000; i++) kept.push({ text: 'x'.repeat(50) + i, more: [i, i, i] })
  const full = resident()
  kept = undefined
  releaseWhenQuiet({ every: 50 })
  const start = Date.now()
  const timer = setInterval(() => {
    if (full - resident() < 40 && Date.now() - start < 10_000) return
    clearInterval(timer)
    console.log(full - resident())
  }, 100)`

it('frees the memory of a burst of work once it is over', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const freed: number[] = []
  for await (const line of createInterface({ input: child.stdout })) freed.push(Number(line))
  expect(freed[0]).toBeGreaterThanOrEqual(40)
})
