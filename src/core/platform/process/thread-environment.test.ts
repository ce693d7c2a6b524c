import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { threadEnvironment } from './thread-environment.ts'

it('gives a thread the compile cache of the process', async () => {
  const code = `require('node:worker_threads').parentPort.postMessage(require('node:module').getCompileCacheDir())`
  const found = async (env: Readonly<Record<string, string>>): Promise<unknown> =>
    (await once(new Worker(code, { eval: true, env }), 'message'))[0]
  expect(getCompileCacheDir()).toBeDefined()
  expect(await found(threadEnvironment())).toBe(getCompileCacheDir())
  expect(await found({})).toBeUndefined()
})
