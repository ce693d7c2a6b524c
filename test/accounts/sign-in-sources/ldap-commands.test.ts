import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  dnOf,
  findSlapd,
  GROUPS,
  PEOPLE,
  READER,
  READER_PASSWORD,
  startDirectory,
  type TestDirectory,
} from '../../harness/directory.ts'
import { type Folder, makeDataDir, type Ran, runCommand, temporaryFolder } from '../../harness/process.ts'

const slapd = findSlapd()

describe.skipIf(slapd === undefined)('ingot admin auth with a directory', () => {
  let directory: TestDirectory
  let folder: Folder
  let data: string
  const outputs: string[] = []
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder.path, name), content)
    return join(folder.path, name)
  }
  const auth = async (...words: string[]): Promise<Ran> => {
    const ran = await runCommand(['admin', 'auth', ...words, `--data-dir=${data}`])
    outputs.push(ran.stdout, ran.stderr)
    return ran
  }

  beforeAll(async () => {
    directory = await startDirectory(slapd!)
    folder = temporaryFolder()
    data = join(folder.path, 'data')
    makeDataDir(data)
    for (const uid of ['ann', 'bob']) await directory.addPerson(uid)
    await directory.addGroup('devs', [dnOf('ann')])
  }, 60_000)
  afterAll(async () => {
    await directory.close()
    folder.remove()
  })

  it('adds, lists and tests a source, with certificates and passwords from files', async () => {
    const added = await auth(
      'add-ldap',
      '--name=company',
      '--host=localhost',
      `--port=${directory.securePort}`,
      '--security-protocol=ldaps',
      `--ca-file=${file('ca.pem', directory.caPem)}`,
      `--bind-dn=${READER}`,
      `--bind-password-file=${file('reader', `${READER_PASSWORD}\n`)}`,
      `--user-search-base=${PEOPLE}`,
      `--group-search-base=${GROUPS}`,
      `--group-team=acme/devs=cn=devs,${GROUPS}`,
    )
    expect([added.code, added.stdout], added.stderr).toEqual([0, '1\n'])
    expect((await auth('list')).stdout).toBe('1\tldap\tcompany\tactive\t\n')
    expect((await auth('test', '--id=1')).code).toBe(0)
    const right = await auth('test', '--id=1', '--login=ann', `--password-file=${file('right', 'ann-password\n')}`)
    expect(right.code, right.stdout).toBe(0)
    expect(JSON.parse(right.stdout.slice(right.stdout.indexOf('{')))).toMatchObject({
      login_name: 'ann',
      email: 'ann@corp.test',
      teams: [{ organization: 'acme', team: 'devs' }],
    })
    for (const words of [['--login=nobody'], ['--login=ann', `--password-file=${file('wrong', 'wrong')}`]])
      expect((await auth('test', '--id=1', ...words)).code).toBe(1)
  })

  it('synchronizes, and deactivates no account when the directory refuses', async () => {
    const first = await auth('sync', '--id=1')
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringContaining('entries 2, created 2, updated 0, deactivated 0, skipped 0'),
    ])
    expect((await auth('list')).stdout).toMatch(/^1\tldap\tcompany\tactive\t\d{4}-/)
    await directory.admin((client) => client.del(dnOf('bob')))
    expect((await auth('update-ldap', '--id=1', '--bind-password=other-secret')).code).toBe(0)
    const refused = await auth('sync', '--id=1')
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('no account was deactivated')])
    const right = `--bind-password-file=${join(folder.path, 'reader')}`
    expect((await auth('update-ldap', '--id=1', right, '--name=corp', '--no-active')).code).toBe(0)
    expect((await auth('list')).stdout).toMatch(/^1\tldap\tcorp\tinactive\t/)
    const second = await auth('sync', '--id=1')
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('entries 1, created 0')])
    expect(second.stdout).toContain('deactivated 1')
  })

  it('refuses what cannot be right, and deletes no source with accounts', async () => {
    for (const words of [
      ['add-ldap', '--host=localhost'],
      ['add-ldap', '--name=odd', '--host=localhost', '--security-protocol=ssl'],
      ['add-ldap', '--name=odd', '--host=localhost', '--port=0'],
      ['add-ldap', '--name=odd', '--host=localhost', '--group-team=devs'],
      ['add-ldap', '--name=odd', '--host=localhost', `--ca-file=${join(folder.path, 'missing')}`],
      ['delete', '--id=one'],
    ])
      expect([words, (await auth(...words)).code]).toEqual([words, 2])
    for (const words of [
      ['add-ldap', '--name=odd', '--host=localhost', `--user-search-base=${PEOPLE}`, '--user-filter=(uid=%s'],
      ['delete', '--id=1'],
      ['test', '--id=99'],
      ['sync', '--id=99'],
      ['update-ldap', '--id=99', '--port=389'],
    ])
      expect([words, (await auth(...words)).code]).toEqual([words, 1])
    expect((await auth('list')).stdout.split('\n')).toHaveLength(2)
  })

  it('prints no password', () => {
    for (const secret of [READER_PASSWORD, 'other-secret', 'ann-password'])
      expect(outputs.join('')).not.toContain(secret)
  })
})
