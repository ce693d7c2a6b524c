import { freePort } from './free-port.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Versitygw {
  readonly url: string
  readonly bucket: string
  readonly keys: { readonly id: string; readonly secret: string }
  stop(): Promise<void>
  /** After stop: at the same address, with what it had. */
  start(): Promise<void>
  close(): Promise<void>
}

const START_DEADLINE_MS = 30_000

/** Path of the program that `.ci/run` builds, or of one in INGOT_VERSITYGW; undefined where there is none. */
export function findVersitygw(): string | undefined {
  const path = process.env['INGOT_VERSITYGW'] ?? ''
  return path !== '' && existsSync(path) ? path : undefined
}

/** A real S3 server over a temporary directory, on a free loopback port. */
export async function startVersitygw(program: string): Promise<Versitygw> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-s3-'))
  mkdirSync(join(dir, 'data', 'files'), { recursive: true })
  const keys = { id: 'test-key', secret: randomBytes(20).toString('hex') }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  let ended: Promise<unknown>
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  const close = async (): Promise<void> => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const start = async (): Promise<void> => {
    child = spawn(
      program,
      ['--access', keys.id, '--secret', keys.secret, '--port', `127.0.0.1:${port}`, 'posix', join(dir, 'data')],
      { stdio: 'ignore', env: { HOME: dir, PATH: process.env['PATH'] ?? '' } },
    )
    ended = once(child, 'close')
    for (const end = performance.now() + START_DEADLINE_MS; !(await isListening(url)); await sleep(20)) {
      if (child.exitCode === null && performance.now() < end) continue
      await close()
      throw new Error('versitygw does not start')
    }
  }
  await start()
  return { url, bucket: 'files', keys, stop, start, close }
}

const isListening = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )
