import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { threadEnvironment } from './thread-environment.ts'

it('gives a thread the compile cache of the process', async () => {
  const code = `require('node:worker_threads').parentPort.postMessage(require('node:module').getCompileCacheDir())`
  const cacheOfThread = async (env: Readonly<Record<string, string>>): Promise<string | undefined> =>
    ((await once(new Worker(code, { eval: true, env }), 'message')) as [string | undefined])[0]
  // The name of the folder itself depends on the flags of V8, which may have changed since the process began.
  expect(dirname((await cacheOfThread(threadEnvironment()))!)).toBe(dirname(getCompileCacheDir()!))
  expect(await cacheOfThread({})).toBeUndefined()
})
