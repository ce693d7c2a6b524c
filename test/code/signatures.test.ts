import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProcess } from '../../src/core/platform/process/process.ts'
import { updateUserKeyUse } from '../../src/domains/accounts/keys/public-key.store.ts'
import { createGpg, hasProgram, type Gpg } from '../harness/gpg.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

let server: TestServer
let gpg: Gpg
let work: string
let ann: Person

beforeAll(async () => {
  server = await startServer()
  gpg = createGpg()
  work = mkdtempSync(join(tmpdir(), 'ingot-signatures-'))
  ann = await server.world.user('ann', { fullName: 'Ann Signer' })
  await server.world.repo({ owner: ann, name: 'sig', defaultBranch: 'main' })
  await git('init', '-q', '-b', 'main')
})
afterAll(async () => {
  gpg.close()
  rmSync(work, { recursive: true, force: true })
  await server.close()
})

/** NOTE: never synchronously: the server runs in this process. */
async function git(...args: string[]): Promise<string> {
  const env = { HOME: work, GNUPGHOME: gpg.home, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
  const result = await runProcess('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.test', ...args], {
    cwd: work,
    env,
    deadline: 20_000,
  })
  if (result.code !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`)
  return result.stdout.toString('utf8').trim()
}

const push = (refspec: string): Promise<string> =>
  git('push', '-q', `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/sig.git`, refspec)

const gpgSign = (keyId: string, ...rest: string[]): string[] => [
  '-c',
  `user.signingkey=${keyId}`,
  'commit',
  '-q',
  '--allow-empty',
  '-S',
  ...rest,
]
const sshSign = (file: string, ...rest: string[]): string[] => [
  '-c',
  'gpg.format=ssh',
  '-c',
  `user.signingkey=${file}`,
  'commit',
  '-q',
  '--allow-empty',
  '-S',
  ...rest,
]

/**
 * Commits with the options and pushes; returns the `verification` of the four places that show it, which must agree.
 */
async function commit(branch: string, args: string[]) {
  await git('checkout', '-q', '--orphan', branch)
  await git(...args)
  await push(branch)
  return verification(branch)
}

async function verification(branch: string) {
  const { anonymous } = server
  const single = (await anonymous.get(`/repos/ann/sig/git/commits/${branch}`)).json.commit.verification
  expect((await anonymous.get(`/repos/ann/sig/branches/${branch}`)).json.commit.verification).toEqual(single)
  expect((await anonymous.get(`/repos/ann/sig/commits?sha=${branch}`)).json[0].commit.verification).toEqual(single)
  return single
}

describe('unsigned commits', () => {
  it('are reported as unsigned', async () => {
    expect(await commit('unsigned', ['commit', '-q', '--allow-empty', '-m', 'unsigned'])).toEqual({
      verified: false,
      reason: 'gpg.error.not_signed_commit',
      signature: '',
      payload: '',
      signer: null,
    })
  })
})

describe.skipIf(!hasProgram('gpg', '--version'))('commits signed by gpg', () => {
  it('are verified from the addition of the key until its deletion', async () => {
    const keyId = gpg.generate('Ann <ann@example.test>')
    const before = await commit('good', gpgSign(keyId, '-m', 'good'))
    expect(before).toMatchObject({ verified: false, reason: 'gpg.error.no_gpg_keys_found', signer: null })
    expect(before.signature).toMatch(/^-----BEGIN PGP SIGNATURE-----\n[\s\S]*-----END PGP SIGNATURE-----$/)
    expect(before.payload).toMatch(
      /^tree [0-9a-f]{40}\nauthor Ann <ann@example\.test> \d+ [+-]\d{4}\ncommitter .*\n\ngood\n$/,
    )

    const key = (await ann.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).json
    const signer = { name: 'Ann Signer', email: 'ann@example.test', username: 'ann' }
    expect(await verification('good')).toEqual({ ...before, verified: true, reason: `ann / ${keyId}`, signer })

    const tag = await ann.client.post('/repos/ann/sig/tags', {
      tag_name: 'v1',
      target: 'good',
      message: 'of a signed commit',
    })
    expect((await server.anonymous.get(`/repos/ann/sig/git/tags/${tag.json.id}`)).json.verification).toEqual(
      await verification('good'),
    )

    await ann.client.delete(`/user/gpg_keys/${key.id}`)
    expect(await verification('good')).toEqual(before)
    const other = await server.world.user('other', { email: 'ann2@example.test' })
    expect((await other.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).status).toBe(422)
  })

  it('are verified by a signing subkey, and after the expiry of the key was extended', async () => {
    const keyId = gpg.generate('Sub <ann+sub@example.test>', { subkey: true, expires: '1d' })
    await ann.client.post('/user/emails', { emails: ['ann+sub@example.test'] })
    await commit('subkey', gpgSign(keyId, '-m', 'subkey'))
    const fingerprint = gpg
      .run(['--list-keys', '--with-colons', keyId])
      .split('\n')
      .find((line) => line.startsWith('fpr:'))!
      .split(':')[9]!
    gpg.run(['--quick-set-expire', fingerprint, '5y'])
    const key = (
      await ann.client.post('/user/gpg_keys', {
        armored_public_key: gpg.run(['--armor', '--export-options', 'export-minimal', '--export', keyId]),
      })
    ).json
    expect(await verification('subkey')).toMatchObject({ verified: true, reason: `ann / ${key.subkeys[0].key_id}` })
  })

  it('are not verified if the text was changed or the signature is invalid', async () => {
    const keyId = gpg.generate('Tamper <ann@example.test>')
    await ann.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })
    await commit('whole', gpgSign(keyId, '-m', 'whole'))
    const raw = await git('cat-file', 'commit', 'whole')
    const store = (content: string): string => {
      const made = spawnSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
        cwd: work,
        input: content,
        encoding: 'utf8',
      })
      return made.stdout.trim()
    }
    const pushCommit = async (branch: string, content: string) => {
      await push(`${store(content)}:refs/heads/${branch}`)
      return verification(branch)
    }
    expect(await pushCommit('tampered', raw.replace(/whole$/, 'changed\n'))).toMatchObject({
      verified: false,
      reason: 'gpg.error.probable_bad_signature',
      signer: null,
    })
    const nonsense = raw.replace(
      /gpgsig [\s\S]*?-----END PGP SIGNATURE-----/,
      'gpgsig -----BEGIN PGP SIGNATURE-----\n \n bm9uc2Vuc2U=\n -----END PGP SIGNATURE-----',
    )
    expect(await pushCommit('nonsense', nonsense)).toMatchObject({
      verified: false,
      reason: 'gpg.error.extract_sign',
      signer: null,
    })
  })
})

describe.skipIf(!hasProgram('gpg', '--version'))('keys and addresses', () => {
  it('of an account do not verify until the address or the key is verified', async () => {
    const eve = await server.world.user('eve', { email: 'eve@example.test' })
    const keyId = gpg.generate('Eve <unknown@example.test>')
    const unproved = await eve.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })
    expect(unproved.status).toBe(422)
    const both = gpg.generate('Eve <eve@example.test>')
    expect((await eve.client.post('/user/gpg_keys', { armored_public_key: gpg.export(both) })).status).toBe(201)
    await git('checkout', '-q', '--orphan', 'eve')
    await git('-c', 'user.email=nobody@example.test', ...gpgSign(both, '-m', 'by an unknown address'))
    await push('eve')
    // The key is found by an address of its owner, independent of the committer line.
    expect(await verification('eve')).toMatchObject({
      verified: true,
      reason: `eve / ${both}`,
      signer: { username: 'eve', email: 'eve@example.test' },
    })
    await server.app.database.transaction(async (tx) => {
      await tx
        .updateTable('email_address')
        .set({ is_activated: 0 })
        .where('lower_email', '=', 'eve@example.test')
        .execute()
    })
    expect(await verification('eve')).toMatchObject({
      verified: false,
      reason: 'gpg.error.no_gpg_keys_found',
      signer: null,
    })
  })
})

describe.skipIf(!hasProgram('ssh-keygen', '-?'))('commits signed by SSH keys', () => {
  const newKey = (name: string, ...options: string[]): { file: string; line: string } => {
    const file = join(work, name)
    const made = spawnSync('ssh-keygen', ['-q', '-N', '', '-C', '', '-f', file, ...options], { encoding: 'utf8' })
    if (made.status !== 0) throw new Error(made.stderr)
    return { file, line: readFileSync(`${file}.pub`, 'utf8') }
  }

  it.each([['ed25519'], ['rsa', '-b', '3072'], ['ecdsa', '-b', '256'], ['ecdsa', '-b', '521']])(
    'are verified for %s keys that their committer has signed in with',
    async (type, ...options) => {
      const branch = `ssh-${type}${options[1] ?? ''}`
      const { file, line } = newKey(branch, '-t', type!, ...options)
      const before = await commit(branch, sshSign(file, '-m', 'signed'))
      expect(before).toMatchObject({ verified: false, reason: 'gpg.error.no_gpg_keys_found', signer: null })
      const { id, fingerprint } = (await ann.client.post('/user/keys', { title: branch, key: line })).json
      expect(await verification(branch)).toEqual(before)
      await server.app.database.transaction((tx) => updateUserKeyUse(tx, id, Date.now()))
      const after = await verification(branch)
      expect(after).toEqual({
        ...before,
        verified: true,
        reason: `ann / ${fingerprint}`,
        signer: { name: 'Ann Signer', email: 'ann@example.test', username: 'ann' },
      })
      const byOther = await commit(`${branch}-author`, [
        ...sshSign(file, '-m', 'signed'),
        '--author',
        'Eve <eve@example.test>',
      ])
      expect(byOther.verified).toBe(true)
      await git('checkout', '-q', '--orphan', `${branch}-foreign`)
      await git('-c', 'user.email=eve@example.test', ...sshSign(file, '-m', 'not by the owner of the key'))
      await push(`${branch}-foreign`)
      expect((await verification(`${branch}-foreign`)).reason).toBe('gpg.error.no_gpg_keys_found')
      await ann.client.delete(`/user/keys/${id}`)
      expect(await verification(branch)).toEqual(before)
    },
  )
})
