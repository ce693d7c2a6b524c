import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type App, type AppOverrides, createApp } from '../../src/app/modules.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import { createLogger } from '../../src/core/platform/logger.ts'
import { createClient, type Client } from './client.ts'
import { copyTemplate } from './postgres.ts'
import { createWorld, type World } from './world.ts'

export interface TestServer {
  readonly app: App
  readonly url: string
  readonly dataDir: string
  readonly world: World
  /** A client without credentials. */
  readonly anonymous: Client
  /** Dispatches events and runs jobs until nothing is left to do now. */
  drain(): Promise<void>
  close(): Promise<void>
}

export interface TestServerOptions extends AppOverrides {
  /** Settings by dotted name, such as `{ 'repository.max_creation_limit': '2' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Database in which the data is stored; SQLite if absent. */
  readonly on?: 'sqlite' | 'postgres'
  /** Opens the SSH server too, on a free port. */
  readonly ssh?: boolean
}

/** A password is hashed in microseconds instead of 50 ms, twice for each user of a test. */
const QUICK = 2

/** A real server on a free loopback port over a fresh database, without logs, deleted when closed. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  process.umask(0o077) // as src/ingot.js does
  const dataDir = mkdtempSync(join(tmpdir(), 'ingot-server-'))
  copyFileSync(inject('sqliteTemplate'), join(dataDir, 'ingot.db'))
  const copy =
    options.on === 'postgres'
      ? await copyTemplate(inject('postgresUrl'), `s_${randomBytes(6).toString('hex')}`)
      : undefined
  const flags = {
    data_dir: dataDir,
    'server.port': '0',
    'ssh.port': '0',
    'log.level': 'silent',
    'webhook.allowed_hosts': '*',
    'migrations.allowed_hosts': '*',
    'rate_limit.anonymous_per_minute': '0',
    'rate_limit.passwords_per_minute': '0',
    ...(copy && { 'database.url': copy.url, 'database.max_connections': '4' }),
    ...options.settings,
  }
  const deleteData = async (): Promise<void> => {
    await copy?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const open = async (): Promise<App> => {
    const config = loadConfig({ flags })
    return createApp(config, {
      log: createLogger(config.log.level),
      passwordCost: QUICK,
      validatePayloads: true,
      ...options,
    })
  }
  const app = await open().catch(async (error: unknown) => {
    await deleteData()
    throw error
  })
  const url = await (options.ssh === true ? app.listen() : app.http.listen({ host: '127.0.0.1', port: 0 })).catch(
    async (error: unknown) => {
      await app.close()
      await deleteData()
      throw error
    },
  )
  app.setRootUrl(url)
  const anonymous = createClient(url, app.operations, {})
  return {
    app,
    url,
    dataDir,
    anonymous,
    async drain() {
      // Of sign-ins, tokens and keys: recorded by a timer, in the middle of what a test counts.
      await Promise.all([app.signInRecords.flush(), app.tokenUse.flush(), app.keyLogins.flush()])
      await app.background.drain()
    },
    world: createWorld(app, url),
    async close() {
      await app.close()
      await deleteData()
    },
  }
}
