import type { ChildProcess } from 'node:child_process'
import { addEndedImport } from '../harness/imports.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rotateKey } from '../../src/app/rotate-key.ts'
import { rotateSecretKey } from '../../src/cli/admin-rotate-key.ts'
import { systemActor } from '../../src/core/access/viewer.ts'
import { loadSecretKeys } from '../../src/app/secret-key.ts'
import { acquireFileLock } from '../../src/core/db/dialect/file-lock.ts'
import { createSecretBox } from '../../src/core/platform/crypto/secret-box.ts'
import { backUp } from '../../src/domains/operations/index.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { type Ran, runIngot } from '../harness/process.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const SECRETS = 3_000

describeOnBoth('ingot admin rotate-key', (kind) => {
  let server: TestServer
  let ann: Person
  let file: string

  beforeAll(async () => {
    server = await startServer({ on: kind, settings: { 'packages.upstream_hosts': 'external' } })
    file = join(server.dataDir, 'secret.key')
    ann = await server.world.user('ann')
    await storeOneOfEach()
  })
  afterAll(() => server.close())

  const keysInFile = (): string[] => readFileSync(file, 'utf8').trim().split('\n')
  const rotate = () => rotateKey(server.app, { settleMs: 0 })
  const run = (started: (child: ChildProcess) => void): Promise<Ran> => {
    const { url } = server.app.config.database
    const args = [
      'admin',
      'rotate-key',
      '--data-dir',
      server.dataDir,
      ...(url === '' ? [] : ['--set', `database.url=${url}`]),
    ]
    return runIngot(args, { started })
  }

  /** A value in every column that the subjects declare. */
  async function storeOneOfEach(): Promise<void> {
    const { app } = server
    const mirror = await server.world.repo({ owner: ann, name: 'mirror' })
    await server.world.repo({ owner: ann, name: 'r' })
    const statuses = [
      await ann.client.put('/user/actions/secrets/OWN', { data: 'S3CRET of ann' }),
      await ann.client.put('/repos/ann/r/actions/secrets/OWN', { data: 'S3CRET of r' }),
      await ann.client.post('/repos/ann/r/hooks', {
        type: 'gitea',
        config: { url: 'http://127.0.0.1:9/x', content_type: 'json', secret: 'S3CRET of the hook' },
        authorization_header: 'Bearer S3CRET',
      }),
      await ann.client.post('/repos/ann/r/push_mirrors', {
        remote_address: 'http://127.0.0.1:9/x.git',
        remote_username: 'x',
        remote_password: 'S3CRET of the mirror',
        interval: '0',
      }),
      await ann.client.post('/repos/ann/r/push_mirrors', {
        remote_address: 'ssh://git@127.0.0.1:9/y.git',
        use_ssh: true,
        interval: '0',
      }),
      await ann.client.get('/repos/ann/r/actions/runners/registration-token'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([201, 201, 201, 200, 200, 200])
    const upstream = { url: 'https://registry.example.test', password: 'S3CRET' }
    expect((await ann.client.put('/packages/ann/-/upstreams/npm', upstream)).status).toBe(200)
    expect((await fetch(`${server.url}/login/oauth/keys`)).status).toBe(200)
    expect((await fetch(`${server.url}/api/actions/oidc/jwks`)).status).toBe(200)
    expect((await fetch(`${server.url}/api/packages/ann/debian/repository.key`)).status).toBe(200)
    await app.signInSources.create(systemActor, {
      kind: 'ldap',
      name: 'directory',
      isActive: false,
      settings: { host: '127.0.0.1', user_search_base: 'dc=test', bind_password: 'S3CRET of the reader' },
    })
    const request = app.secrets.seal('S3CRET of an import', 'repository import')
    await addEndedImport(app, { actorId: ann.user.id, name: 'lost', request })
    await app.twoFactor.begin({ id: (await server.world.user('bob')).user.id, name: 'bob' })
    await app.database.transaction(async (tx) => {
      const values = {
        credentials: app.remoteAccess.seal({ username: 'x', password: 'S3CRET' }),
        lfs_endpoint: app.remoteAccess.sealEndpoint('https://x:S3CRET@127.0.0.1:9/lfs'),
      }
      await tx
        .insertInto('mirror')
        .values({ repo_id: mirror.id, ...values })
        .execute()
    })
  }

  /** Every sealed text of the database, by table and column. */
  async function sealedTexts(): Promise<Map<string, string[]>> {
    const { read } = server.app.database
    const found = new Map<string, string[]>()
    for (const { name } of await read.introspection.getTables())
      for (const row of await rows(server, name as 'webhook'))
        for (const [column, value] of Object.entries(row))
          if (typeof value === 'string' && /^v\d\.[\w-]+/.test(value))
            found.set(`${name}.${column}`, [...(found.get(`${name}.${column}`) ?? []), value])
    return found
  }

  const declared = () =>
    server.app.sealedColumns.flatMap(({ table, contexts }) =>
      Object.keys(contexts).map((column) => `${table}.${column}`),
    )

  /** What the server reads of the values that `storeOneOfEach` stored. */
  async function readAll(): Promise<unknown> {
    const { app } = server
    const { repo } = await app.repos.getInView({ kind: 'anonymous' }, 'ann', 'r')
    const [mirror] = await rows(server, 'mirror')
    const [pushed, bySsh] = await rows(server, 'push_mirror')
    const [hook] = await rows(server, 'webhook')
    const [factor] = await rows(server, 'two_factor')
    return {
      secrets: Object.fromEntries(await app.actionsSecrets.loadFor(repo)),
      ofOwner: app.secrets.open(
        (await rows(server, 'actions_secret'))[0]!.value,
        `actions_secret.value:owner:${ann.user.id}:OWN`,
      ),
      hook: [
        app.secrets.open(hook!.secret, 'webhook.secret'),
        (await ann.client.get(`/repos/ann/r/hooks/${hook!.id}`)).json.authorization_header,
      ],
      mirror: [app.remoteAccess.unseal(mirror!.credentials), app.remoteAccess.unsealEndpoint(mirror!.lfs_endpoint)],
      pushed: app.remoteAccess.unseal(pushed!.credentials),
      key: app.remoteAccess.unsealKey(bySsh!.private_key),
      token: (await ann.client.get('/repos/ann/r/actions/runners/registration-token')).json.token,
      source: (await app.signInSources.findByName('directory'))!.settings,
      imported: app.secrets.open((await rows(server, 'repo_import'))[0]!.request, 'repository import'),
      packages: app.secrets.open(
        (await rows(server, 'package_signing_key'))[0]!.private_key,
        'package_signing_key.private_key',
      ),
      factor: app.secrets.open(factor!.secret, `two_factor.secret:${factor!.user_id}`),
      ofJobs: app.secrets.open(
        (await rows(server, 'action_id_token_key'))[0]!.private_key,
        'action_id_token_key.private_key',
      ),
      signing: app.secrets.open((await rows(server, 'signing_key'))[0]!.private_key, 'signing_key.private_key:oauth2'),
    }
  }

  it('encrypts every stored value with a new key while the server runs', async () => {
    const [before, values, texts] = [keysInFile(), await readAll(), await sealedTexts()]
    expect([...texts.keys()].toSorted()).toEqual(declared().toSorted())
    expect(await rotate()).toEqual({
      resealed: [...texts.values()].flat().length,
      unreadable: [],
      isContinued: false,
      isConfigured: false,
    })
    expect(keysInFile()).toHaveLength(1)
    expect(keysInFile()).not.toEqual(before)
    const prefix = server.app.secrets.prefix()
    const renewed = [...(await sealedTexts()).values()].flat()
    expect(renewed.filter((text) => !text.startsWith(prefix))).toEqual([])
    expect([...texts.values()].flat().filter((text) => text.startsWith(prefix))).toEqual([])
    expect(await readAll()).toEqual(values)
    const [entry] = (await rows(server, 'audit_entry', { action: 'admin.key-rotated' })).slice(-1)
    expect(JSON.parse(entry!.details)).toEqual({ key_id: prefix.split('.')[1] })
  })

  it('continues after a kill, and keeps changes made during the rotation', async () => {
    const { app } = server
    const many = await server.world.user('many')
    await app.database.transaction(async (tx) => {
      const sealed = (name: string) =>
        app.secrets.seal(`S3CRET ${name}`, `actions_secret.value:owner:${many.user.id}:${name}`)
      for (let first = 0; first < SECRETS; first += 500) {
        const names = Array.from({ length: 500 }, (_, number) => `N${first + number}`)
        const common = { repo_id: null, owner_id: many.user.id, created_at: 1, updated_at: 1 }
        await tx
          .insertInto('actions_secret')
          .values(names.map((name) => ({ ...common, name, value: sealed(name) })))
          .execute()
      }
    })
    const old = app.secrets.prefix()
    const values = await readAll()
    let child: ChildProcess | undefined
    const killed = run((started) => (child = started))
    const renewed = async (): Promise<number> => {
      const sealed = app.database.read.selectFrom('actions_secret').where('value', 'not like', `${old}%`)
      const { count } = await sealed.select((eb) => eb.fn.countAll().as('count')).executeTakeFirstOrThrow()
      return Number(count)
    }
    while ((await renewed()) < 100) await sleep(5)
    child!.kill('SIGKILL')
    expect((await killed).code).toBeNull()
    const left = await renewed()
    expect(left).toBeLessThan(SECRETS)

    const keys = keysInFile()
    expect(keys).toHaveLength(2)
    expect(app.secrets.prefix()).not.toBe(old)
    expect(await readAll()).toEqual(values)
    expect((await many.client.put('/user/actions/secrets/N7', { data: 'S3CRET N7 changed' })).status).toBe(204)
    expect((await many.client.delete('/user/actions/secrets/N8')).status).toBe(204)

    const report = await rotate()
    expect(report).toMatchObject({ isContinued: true, unreadable: [] })
    expect(report.resealed).toBeGreaterThan(0)
    expect(keysInFile()).toEqual(keys.slice(0, 1))
    const all = await app.actionsSecrets.loadFor({ id: 0 as never, ownerId: many.user.id })
    expect(all.size).toBe(SECRETS - 1)
    expect(
      [...all].filter(([name, value]) => value !== (name === 'N7' ? 'S3CRET N7 changed' : `S3CRET ${name}`)),
    ).toEqual([])
    expect(await readAll()).toEqual(values)
  })

  it('names rows with a value that no key decrypts, and leaves them as they are', async () => {
    const row = {
      repo_id: null,
      owner_id: ann.user.id,
      name: 'LOST',
      value: 'v2.0123456789ab.AAAA',
      created_at: 1,
      updated_at: 1,
    }
    await server.app.database.transaction((tx) => tx.insertInto('actions_secret').values(row).execute())
    const [lost] = await rows(server, 'actions_secret', { name: 'LOST' })
    const printed: string[] = []
    const print = (text: string): void => void printed.push(text)
    expect(await rotateSecretKey({ config: () => server.app.config, print }, { settleMs: 0 })).toBe(1)
    expect(printed.join('\n')).toMatch(/^Encrypted \d{4} values with the current key\.\nThe former key is deleted\./)
    expect(printed.slice(-2)).toEqual([
      '1 rows contain a value that no known key decrypts. They were not changed:',
      `  actions_secret ${lost!.id}`,
    ])
    expect(await rows(server, 'actions_secret', { name: 'LOST' })).toEqual([lost])
    await ann.client.delete('/user/actions/secrets/LOST')
  })

  it('is refused while another command rotates, and changes nothing then', async () => {
    const lock = acquireFileLock(`${file}.lock`)!
    const before = keysInFile()
    await expect(rotate()).rejects.toThrow('another command is rotating the key')
    expect(keysInFile()).toEqual(before)
    lock.release()
  })

  it('makes a backup of the same time fail, which could not be read', async () => {
    const to = mkdtempSync(join(tmpdir(), 'ingot-backup-'))
    const { app } = server
    const deps = {
      database: app.database,
      git: app.git,
      dataDir: server.dataDir,
      blobs: undefined,
      now: 1,
      version: '1',
    }
    const copied: string[] = []
    const backup = backUp(deps, to, (storage) => {
      if (copied.push(storage) === 3) writeFileSync(file, `${'ab'.repeat(32)}\n${readFileSync(file, 'utf8')}`)
    })
    await expect(backup).rejects.toThrow('the secret key was changed during the backup')
    expect(readdirSync(to)).not.toContain('backup.json')
    rmSync(to, { recursive: true })
    expect(await rotate()).toMatchObject({ isContinued: true, unreadable: [] })
  })

  it('uses the key of the configuration if there is one, and does not change the file', async () => {
    const { app } = server
    const [values, [current]] = [await readAll(), keysInFile()]
    const security = { ...app.config.security, secret_key: 'a new configured key', former_secret_keys: [current!] }
    const secrets = createSecretBox(loadSecretKeys(security, server.dataDir))
    const configured = { ...app, secrets, config: { ...app.config, security } }
    const report = await rotateKey(configured, { settleMs: 0 })
    expect(report).toMatchObject({ unreadable: [], isContinued: false, isConfigured: true })
    expect(report.resealed).toBeGreaterThan(SECRETS)
    expect(await rotateKey(configured, { settleMs: 0 })).toMatchObject({ resealed: 0, isConfigured: true })
    expect(keysInFile()).toEqual([current])
    writeFileSync(file, 'a new configured key\n')
    expect(await readAll()).toEqual(values)
  })
})
