import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'

/** What the program frees of the memory that `fill` takes, in a process of its own, whose heap no other test fills. */
const program = (fill: string): string => `
  import { releaseWhenQuiet } from ${JSON.stringify(new URL('./heap.ts', import.meta.url).pathname)}
  const resident = () => Math.round(process.memoryUsage.rss() / 1024 ** 2)
  let [kept, full] = [[], 0]
  ${fill}
  releaseWhenQuiet({ every: 50 })
  const start = Date.now()
  const timer = setInterval(() => {
    if (full - resident() < 40 && Date.now() - start < 10_000) return
    clearInterval(timer)
    console.log(full - resident(), kept?.length)
  }, 100)`

const OBJECTS = `
  for (let i = 0; i < 400_000; i++) kept.push({ text: 'x'.repeat(50) + i, more: [i, i, i] })
  full = resident()
  kept = undefined`

/** Few of many blocks stay, the last one too: the system gets the others only when it is asked to take them. */
const BLOCKS = `
  function fill() {
    for (let i = 0; i < 60_000; i++) kept.push(Buffer.allocUnsafeSlow(2048).fill(1))
    full = resident()
    kept = kept.filter((_, i) => i % 100 === 99)
  }
  fill()`

/** The same while the process is never at rest, but grows by 36 MB of other blocks. */
const BLOCKS_UNDER_LOAD = `
  setInterval(() => { for (const end = performance.now() + 20; performance.now() < end;); }, 40).unref()
  releaseWhenQuiet({ every: 50 })
  await new Promise((resolve) => setTimeout(resolve, 300))
  ${BLOCKS}
  gc()
  await new Promise((resolve) => setTimeout(resolve, 500))
  globalThis.others = Buffer.alloc(36 * 1024 ** 2, 1)`

it.each([
  ['objects', OBJECTS],
  ...(process.platform === 'linux'
    ? [
        ['blocks outside of the heap of V8', BLOCKS],
        ['same blocks under load', BLOCKS_UNDER_LOAD],
      ]
    : []),
])('frees the %s of a burst of work once it is over', async (_, fill) => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--expose-gc', '--input-type=module', '-e', program(fill!)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const freed: number[] = []
  for await (const line of createInterface({ input: child.stdout })) freed.push(Number.parseInt(line, 10))
  expect(freed[0]).toBeGreaterThanOrEqual(40)
})
