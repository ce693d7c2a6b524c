import { actorOf } from '../../../src/core/access/viewer.ts'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'ssh2'
import type { AppOverrides } from '../../../src/app/modules.ts'
import type { RepoId } from '../../../src/core/platform/crypto/ids.ts'
import { parseSshPublicKey } from '../../../src/core/platform/ssh/key.ts'
import { claimPublicKey } from '../../../src/domains/accounts/keys/public-key.store.ts'
import { startServer, type TestServer, type TestServerOptions } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { git, tempDir, tryGit, type GitResult } from '../../core/git/wire/client.ts'

export interface SshKey {
  readonly path: string
  readonly line: string
  /** Socket of the agent that has the private part. */
  readonly agentSocket?: string
}

/** A server with SSH, and real clients with keys of their own. */
export interface SshFixture {
  readonly server: TestServer
  readonly dir: string
  readonly port: number
  /** Generates a key with `options` of ssh-keygen in place of the usual ones. */
  makeKey(type?: 'ed25519' | 'rsa' | 'ecdsa', options?: readonly string[]): SshKey
  /** A key whose private part an agent has. */
  agentKey(line: string, socket: string): SshKey
  /** A new key of the person. */
  keyOf(person: Person, type?: 'ed25519' | 'rsa' | 'ecdsa'): Promise<SshKey>
  deployKey(repoId: RepoId, options: { readOnly: boolean; key?: SshKey; title?: string }): Promise<SshKey>
  url(path: string): string
  /** GIT_SSH_COMMAND for a key. */
  env(key: SshKey): Record<string, string>
  git(cwd: string, key: SshKey, ...args: string[]): Promise<string>
  tryGit(cwd: string, key: SshKey, ...args: string[]): Promise<GitResult>
  /** Runs the real `ssh` with a command, or none. */
  ssh(
    key: SshKey,
    args?: readonly string[],
    options?: { readonly user?: string; readonly flags?: readonly string[] },
  ): Promise<GitResult>
  /** Signs in once, for any number of commands. */
  connect(key: SshKey): Promise<SshConnection>
  close(): Promise<void>
}

export interface SshConnection {
  /** Runs a command with an empty input. */
  run(command: string): Promise<{ readonly stdout: string; readonly stderr: string }>
  end(): void
}

export async function startSshFixture(
  settings: Record<string, string> = {},
  overrides: AppOverrides & Pick<TestServerOptions, 'on'> = {},
): Promise<SshFixture> {
  const temporary = tempDir()
  const dir = temporary.path
  const server = await startServer({ ssh: true, settings, ...overrides })
  const port = Number(/:(\d+)\/$/.exec(server.app.site.sshPrefix())![1])
  let count = 0
  const flags = (key: SshKey): string[] => [
    '-F',
    '/dev/null',
    '-i',
    key.path,
    '-o',
    'IdentitiesOnly=yes',
    '-o',
    `IdentityAgent=${key.agentSocket ?? 'none'}`,
    '-o',
    'StrictHostKeyChecking=accept-new',
    '-o',
    `UserKnownHostsFile=${join(dir, 'known_hosts')}`,
    '-o',
    'BatchMode=yes',
  ]
  const fixture: SshFixture = {
    server,
    dir,
    port,
    makeKey(type = 'ed25519', options = type === 'rsa' ? ['-b', '3072'] : []) {
      const path = join(dir, `key-${count++}`)
      execFileSync('ssh-keygen', ['-q', '-t', type, ...options, '-N', '', '-C', '', '-f', path])
      return { path, line: readFileSync(`${path}.pub`, 'utf8').trim() }
    },
    agentKey(line, socket) {
      const path = join(dir, `key-${count++}`)
      writeFileSync(path, `${line}\n`)
      return { path, line, agentSocket: socket }
    },
    async keyOf(person, type) {
      const key = fixture.makeKey(type)
      await server.app.sshKeys.add(actorOf(person.user.id), person.user.id, { title: `key ${count}`, key: key.line })
      return key
    },
    async deployKey(repoId, { readOnly, key = fixture.makeKey(), title = `deploy ${count}` }) {
      await server.app.database.transaction(async (tx) => {
        const id = await claimPublicKey(tx, parseSshPublicKey(key.line), 'deploy')
        await tx
          .insertInto('deploy_key')
          .values({ key_id: id!, repo_id: repoId, title, comment: '', is_read_only: readOnly ? 1 : 0, created_at: 1 })
          .execute()
      })
      return key
    },
    url: (path) => `ssh://git@127.0.0.1:${port}/${path}`,
    env: (key) => ({ GIT_SSH_COMMAND: ['ssh', ...flags(key)].join(' ') }),
    git: (cwd, key, ...args) => git(cwd, args, { env: fixture.env(key) }),
    tryGit: (cwd, key, ...args) => tryGit(cwd, args, { env: fixture.env(key) }),
    ssh: (key, args = [], { user = 'git', flags: more = [] } = {}) =>
      run(['-p', String(port), ...flags(key), ...more, `${user}@127.0.0.1`, ...args]),
    connect: (key) => connect(port, key),
    async close() {
      await server.close()
      temporary.remove()
    },
  }
  return fixture
}

async function connect(port: number, key: SshKey): Promise<SshConnection> {
  const client = new Client()
  const ready = once(client, 'ready')
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: readFileSync(key.path) })
  await ready
  return {
    end() {
      client.on('error', () => {}) // The server may be closed before the end is acknowledged.
      client.end()
    },
    run: (command) =>
      new Promise((resolve, reject) => {
        client.exec(command, (error, channel) => {
          if (error) return reject(error)
          const stdout: Buffer[] = []
          const stderr: Buffer[] = []
          channel.on('data', (chunk: Buffer) => stdout.push(chunk))
          channel.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
          channel.on('close', () =>
            resolve({ stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
          )
          channel.end()
        })
      }),
  }
}

function run(args: readonly string[]): Promise<GitResult> {
  return new Promise((resolve) => {
    const child = spawn('ssh', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
