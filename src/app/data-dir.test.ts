import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Folder, temporaryFolder } from '../../test/harness/process.ts'
import { lockDataDir, shareDataDir } from './data-dir.ts'

const LOCKS = resolve(import.meta.dirname, '../core/db/dialect/file-lock.ts')

let folder: Folder
let worker: ChildProcess
beforeAll(async () => {
  folder = temporaryFolder()
  const path = JSON.stringify(join(folder.path, 'workers.lock'))
  const program = `import { shareFileLock } from ${JSON.stringify(LOCKS)}
    globalThis.lock = shareFileLock(${path}); console.log('locked'); process.stdin.on('data', () => {})`
  worker = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(worker.stdout!, 'data')
})
afterAll(() => {
  worker.kill('SIGKILL')
  folder.remove()
})

it('is refused to a server while workers of the previous one run, and free when they have exited', async () => {
  const names = process.platform === 'linux' ? ` (process ${worker.pid})` : ''
  const refused = `workers of a killed server still run${names} and use ${folder.path}`
  expect(() => lockDataDir(folder.path, 0)).toThrow(refused)
  // The failed attempt holds no lock.
  expect(() => lockDataDir(folder.path, 0)).toThrow(refused)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  const lock = lockDataDir(folder.path, 0)
  expect(() => lockDataDir(folder.path, 0)).toThrow('another Ingot process is using')
  // Workers of the new server share the lock.
  const shared = [shareDataDir(folder.path), shareDataDir(folder.path)]
  for (const { release } of [lock, ...shared]) release()
})
