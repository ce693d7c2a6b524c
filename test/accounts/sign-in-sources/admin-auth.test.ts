import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authCommands } from '../../../src/cli/auth-commands.ts'
import {
  findSlapd,
  GROUPS,
  PEOPLE,
  READER,
  READER_PASSWORD,
  startDirectory,
  type TestDirectory,
} from '../../harness/directory.ts'
import { type Folder, type Ran, runCommand, temporaryFolder } from '../../harness/process.ts'

let folder: Folder
beforeAll(() => {
  folder = temporaryFolder()
})
afterAll(() => folder.remove())

const auth = (...args: string[]): Promise<Ran> =>
  runCommand(['admin', 'auth', ...args, '--data-dir', join(folder.path, 'data')])

describe('ingot admin auth', () => {
  it.each(authCommands.map(({ words }) => words))('%s has a help', async (words) => {
    const { code, stdout } = await runCommand([...words.split(' '), '--help'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: ingot ${words} [options]`)])
  })

  it.each([
    ['no name', ['add-ldap', '--host', 'a.test'], '--name must be given'],
    ['an odd id', ['delete', '--id', 'x'], '--id needs a number'],
    ['an odd port', ['add-ldap', '--name', 'a', '--port', '70000'], '--port needs a number from 1 to 65535'],
    ['an odd protocol', ['add-ldap', '--name', 'a', '--security-protocol', 'ssl'], '--security-protocol needs'],
    ['an odd team', ['add-ldap', '--name', 'a', '--group-team', 'devs'], '--group-team needs ORG/TEAM=DN'],
    ['a missing file', ['add-ldap', '--name', 'a', '--ca-file', '/nowhere/ca.pem'], 'cannot read /nowhere/ca.pem'],
  ])('refuses %s', async (_, args, message) => {
    expect(await auth(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  it('reports settings that cannot be right, and sources that do not exist', async () => {
    const base = ['add-ldap', '--name', 'a', '--host', 'a.test']
    expect(await auth(...base)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('UserSearchBase must not be empty'),
    })
    for (const words of [['delete'], ['test'], ['sync'], ['update-ldap', '--no-active']])
      expect(await auth(...words, '--id', '99')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('sign-in source does not exist'),
      })
  })
})

const slapd = findSlapd()

describe.skipIf(slapd === undefined)('ingot admin auth with a directory', () => {
  let directory: TestDirectory
  beforeAll(async () => {
    directory = await startDirectory(slapd!)
    for (const uid of ['kim', 'lee']) await directory.addPerson(uid)
  }, 60_000)
  afterAll(() => directory?.close())

  it('creates, lists, tests, synchronizes, changes and deletes a source', async () => {
    const file = (name: string, text: string): string => {
      const path = join(folder.path, name)
      writeFileSync(path, text)
      return path
    }
    const added = await auth(
      'add-ldap',
      '--name',
      'company',
      '--host',
      '127.0.0.1',
      '--port',
      String(directory.port),
      '--security-protocol',
      'starttls',
      '--ca-file',
      file('ca.pem', directory.caPem),
      '--bind-dn',
      READER,
      '--bind-password-file',
      file('bind', `${READER_PASSWORD}\n`),
      '--user-search-base',
      PEOPLE,
      '--group-search-base',
      GROUPS,
      '--group-team',
      `acme/devs=cn=devs,${GROUPS}`,
      '--no-create-accounts',
    )
    expect(added.stderr).toBe('')
    expect([added.code, added.stdout.trim()]).toEqual([0, expect.stringMatching(/^\d+$/)])
    const id = added.stdout.trim()
    const login = ['test', '--id', id, '--login', 'kim', '--password-file']
    expect(await auth(...login, file('right', 'kim-password'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"email": "kim@corp.test"'),
    })
    expect((await auth(...login, file('wrong', 'wrong'))).code).toBe(1)
    expect((await auth('sync', '--id', id)).stdout).toContain(
      'entries 2, created 0, updated 0, deactivated 0, skipped 2',
    )
    expect((await auth('update-ldap', '--id', id, '--create-accounts', '--name', 'office')).code).toBe(0)
    expect((await auth('sync', '--id', id)).stdout).toContain('entries 2, created 2')
    const { stdout } = await auth('list')
    expect(stdout).toMatch(new RegExp(`^${id}\tldap\toffice\tactive\t\\d{4}-`, 'm'))
    expect(await auth('delete', '--id', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('in use: 2') })
    const users = await runCommand(['admin', 'user', 'list', '--data-dir', join(folder.path, 'data')])
    expect(users.stdout).toContain('kim@corp.test')
    await directory.stop()
    expect(await auth('sync', '--id', id)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no account was deactivated'),
    })
  }, 120_000)
})
