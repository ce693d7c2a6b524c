import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeDataDir, temporaryFolder, type Folder } from '../harness/process.ts'

const ROOT = resolve(import.meta.dirname, '../..')

let folder: Folder
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

describe('npm start', () => {
  it('ends the server when npm is ended', async () => {
    const data = join(folder.path, 'data')
    makeDataDir(data)
    const settings = { INGOT_DATA_DIR: data, INGOT_SERVER_PORT: '0', INGOT_SSH_PORT: '0', INGOT_SERVER_WORKERS: '1' }
    // The server refuses settings that it does not know, such as those of the tests.
    const others = Object.entries(process.env).filter(([name]) => !name.startsWith('INGOT_'))
    const env = { ...Object.fromEntries(others), ...settings, npm_config_update_notifier: 'false' }
    // NOTE: a group of its own, so that the test can end the server that npm leaves running.
    const npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      let output = ''
      npm.stdout.setEncoding('utf8')
      for await (const text of npm.stdout.iterator({ destroyOnReturn: false })) {
        output += text as string
        if (/listening at \S+/.test(output)) break
      }
      const [, url] = /listening at (\S+)/.exec(output)!
      expect((await fetch(`${url}/api/v1/version`)).status).toBe(200)
      npm.stdout.resume()
      npm.kill('SIGTERM')
      // The server has the other end of this pipe as long as it runs.
      await once(npm, 'close')
      await expect(fetch(`${url}/api/v1/version`)).rejects.toThrow('fetch failed')
    } finally {
      try {
        process.kill(-npm.pid!, 'SIGKILL')
      } catch {
        // All of them have ended.
      }
    }
  }, 60_000)
})

describe('the comparison with the recordings', () => {
  it('fails without recordings where CI is true, and says elsewhere that it compared nothing', () => {
    const ci = join(folder.path, 'project/.ci')
    mkdirSync(ci, { recursive: true })
    cpSync(join(ROOT, '.ci'), ci, { recursive: true })
    const run = (value: string) => {
      const env = { ...process.env, CI: value }
      const { status, stderr } = spawnSync('bash', [join(ci, 'conformance.sh'), '1'], { env, encoding: 'utf8' })
      return { status, stderr }
    }
    const stderr = 'no recordings in ../shared/conformance: nothing was compared\n'
    expect(run('true')).toEqual({ status: 1, stderr })
    expect(run('')).toEqual({ status: 0, stderr })
  })
})
