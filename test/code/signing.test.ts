import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProcess } from '../../src/core/platform/process/process.ts'
import { createGpg, hasProgram } from '../harness/gpg.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD } from '../harness/world.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingot-signing-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function withKey(settings: Record<string, string>, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ settings })
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

/** Creates a file through the API; returns the response and the commit in the list. */
async function makeFile(server: TestServer, members: object = {}) {
  const ann = await server.world.user(`ann${Math.random().toString(36).slice(2, 8)}`)
  await server.world.repo({ owner: ann, name: 'r', defaultBranch: 'main' })
  const made = await ann.client.post(`/repos/${ann.name}/r/contents/a.txt`, {
    content: 'YQ==',
    message: 'made',
    ...members,
  })
  expect(made.status).toBe(201)
  const { commit } = (await server.anonymous.get(`/repos/${ann.name}/r/git/commits/main`)).json
  expect(commit.verification).toEqual(made.json.verification)
  return { ann, commit, verification: commit.verification }
}

describe('a server without a signing key', () => {
  it('signs nothing and publishes no key', () =>
    withKey({}, async (server) => {
      const { ann, verification } = await makeFile(server)
      expect(verification.reason).toBe('gpg.error.not_signed_commit')
      const paths = [
        '/signing-key.gpg',
        '/signing-key.pub',
        `/repos/${ann.name}/r/signing-key.gpg`,
        `/repos/${ann.name}/r/signing-key.pub`,
      ]
      expect(await Promise.all(paths.map(async (path) => (await server.anonymous.get(path)).status))).toEqual([
        404, 404, 404, 404,
      ])
    }))

  it('does not start with an unreadable key', async () => {
    const file = join(folder, 'broken')
    writeFileSync(file, 'nothing')
    await expect(startServer({ settings: { 'signing.key': file } })).rejects.toThrow('signing.key: ')
    await expect(startServer({ settings: { 'signing.key': join(folder, 'missing') } })).rejects.toThrow('signing.key: ')
  })
})

describe.skipIf(!hasProgram('gpg', '--version'))('a server with a GPG key', () => {
  it('signs its commits, names the committer and publishes the key', async () => {
    const gpg = createGpg()
    const keyId = gpg.generate('Forge <forge@example.test>')
    const file = join(folder, 'key.asc')
    writeFileSync(file, gpg.run(['--armor', '--export-secret-keys', keyId]))
    await withKey(
      { 'signing.key': file, 'git.identity_name': 'Forge', 'git.identity_email': 'forge@example.test' },
      async (server) => {
        const { ann, commit, verification } = await makeFile(server, {
          author: { name: 'Eve', email: 'eve@example.test' },
          committer: { name: 'Bob', email: 'bob@example.test' },
        })
        expect([commit.author.name, commit.committer.name, commit.message]).toEqual([
          'Eve',
          'Forge',
          'made\n\nCo-committed-by: Bob <bob@example.test>\n',
        ])
        expect(verification).toMatchObject({
          verified: true,
          reason: `Forge / ${keyId}`,
          signer: { name: 'Forge', email: 'forge@example.test' },
        })

        const signature = join(folder, 'commit.asc')
        writeFileSync(signature, `${verification.signature}\n`)
        const payload = join(folder, 'commit.txt')
        writeFileSync(payload, verification.payload)
        const reader = createGpg()
        reader.run(['--import'], (await server.anonymous.get(`/repos/${ann.name}/r/signing-key.gpg`)).text)
        reader.run(['--verify', signature, payload])
        reader.close()
        expect((await server.anonymous.get('/signing-key.pub')).status).toBe(404)
      },
    )
    gpg.close()
  })
})

describe.skipIf(!hasProgram('ssh-keygen', '-?'))('a server with an SSH key', () => {
  it.each([['ed25519'], ['ecdsa', '-b', '384'], ['rsa', '-b', '3072']])(
    'signs with %s, and ssh-keygen agrees',
    async (type, ...options) => {
      const file = join(folder, `key-${type}`)
      const made = await runProcess('ssh-keygen', ['-q', '-t', type!, ...options, '-N', '', '-C', '', '-f', file])
      expect(made.code).toBe(0)
      await withKey({ 'signing.key': file }, async (server) => {
        const { ann, commit, verification } = await makeFile(server)
        expect([commit.author.name, commit.committer.name, commit.message]).toEqual([ann.name, 'Ingot', 'made\n'])
        expect(verification).toMatchObject({ verified: true, reason: expect.stringMatching(/^Ingot \/ SHA256:/) })
        const key = (await server.anonymous.get('/signing-key.pub')).text
        expect(readFileSync(`${file}.pub`, 'utf8').trim()).toBe(key.trim())
        writeFileSync(join(folder, 'allowed'), `forge@example.test ${key}`)
        writeFileSync(join(folder, 'commit.sig'), `${verification.signature}\n`)
        const verified = await runProcess(
          'ssh-keygen',
          [
            '-Y',
            'verify',
            '-f',
            join(folder, 'allowed'),
            '-I',
            'forge@example.test',
            '-n',
            'git',
            '-s',
            join(folder, 'commit.sig'),
          ],
          { input: verification.payload },
        )
        expect([verified.code, verified.stdout.toString()]).toEqual([
          0,
          expect.stringContaining('Good "git" signature'),
        ])
      })
    },
  )

  it('reports an invalid signature by its own key', async () => {
    const file = join(folder, 'key-bad')
    await runProcess('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
    await withKey({ 'signing.key': file }, async (server) => {
      const { ann } = await makeFile(server)
      const url = `${server.url.replace('//', `//${ann.name}:${encodeURIComponent(PASSWORD)}@`)}/${ann.name}/r.git`
      const work = join(folder, 'tampered')
      const git = async (args: string[], input?: string): Promise<string> => {
        const { code, stdout, stderr } = await runProcess('git', args, {
          env: { GIT_TERMINAL_PROMPT: '0' },
          ...(input !== undefined && { input }),
        })
        expect(code, stderr).toBe(0)
        return stdout.toString().trimEnd()
      }
      await git(['clone', '-q', url, work])
      const raw = await git(['-C', work, 'cat-file', 'commit', 'main'])
      const tampered = await git(
        ['-C', work, 'hash-object', '-t', 'commit', '-w', '--stdin'],
        `${raw.replace(/made$/, 'made up')}\n`,
      )
      await git(['-C', work, 'push', '-q', url, `${tampered}:refs/heads/tampered`])
      const { commit } = (await server.anonymous.get(`/repos/${ann.name}/r/git/commits/tampered`)).json
      expect(commit.verification).toMatchObject({
        verified: false,
        reason: 'gpg.error.probable_bad_default_signature',
        signer: null,
        payload: expect.stringContaining('made up'),
      })
    })
  })

  it('signs first commits, patches, merges and annotated tags of either object format, and git agrees', async () => {
    const file = join(folder, 'key-all')
    await runProcess('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
    writeFileSync(join(folder, 'allowed-all'), `forge@example.test ${readFileSync(`${file}.pub`, 'utf8')}`)
    await withKey(
      { 'signing.key': file, 'git.identity_name': 'Forge', 'git.identity_email': 'forge@example.test' },
      async (server) => {
        const [ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
        const made = async (path: string, body: object, person = ann): Promise<void> =>
          expect((await person.client.post(path, body)).status, path).toBeLessThan(300)
        const isSigned = async (repo: string): Promise<void> => {
          const { commit } = (await server.anonymous.get(`/repos/${repo}/git/commits/main`)).json
          expect(
            [commit.committer.name, commit.verification.verified, commit.author.name],
            `${repo}: ${commit.message}`,
          ).toEqual(['Forge', true, expect.stringMatching(/ann|bob/)])
        }
        for (const format of ['sha1', 'sha256']) {
          await made('/user/repos', {
            name: format,
            auto_init: true,
            default_branch: 'main',
            template: true,
            object_format_name: format,
          })
          await isSigned(`ann/${format}`)
          await made(`/repos/ann/${format}/diffpatch`, {
            content: 'diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n',
          })
          await isSigned(`ann/${format}`)
          await made(`/repos/ann/${format}/generate`, { owner: 'ann', name: `${format}-made`, git_content: true })
          await isSigned(`ann/${format}-made`)
          await made(`/repos/ann/${format}/forks`, {}, bob)
          await made(`/repos/ann/${format}/contents/theirs`, { content: '' })
          await made(`/repos/bob/${format}/contents/ours`, { content: '' }, bob)
          await made(`/repos/bob/${format}/merge-upstream`, { branch: 'main' }, bob)
          await isSigned(`bob/${format}`)
          await made(`/repos/ann/${format}/wiki/new`, { title: 'Home', content_base64: 'aGk=' })
          const wiki = join(folder, `wiki-${format}`)
          expect(
            (await runProcess('git', ['clone', '-q', '--bare', `${server.url}/ann/${format}.wiki.git`, wiki])).code,
          ).toBe(0)
          const page = await runProcess('git', [
            '-C',
            wiki,
            '-c',
            'gpg.format=ssh',
            '-c',
            `gpg.ssh.allowedSignersFile=${join(folder, 'allowed-all')}`,
            'log',
            '-1',
            '--format=%G? %an %cn',
          ])
          expect(page.stdout.toString().trim()).toBe('G ann Forge')
          await made(`/repos/ann/${format}/tags`, { tag_name: 'v1', message: 'one' })
          const { id } = (await server.anonymous.get(`/repos/ann/${format}/tags/v1`)).json
          expect((await server.anonymous.get(`/repos/ann/${format}/git/tags/${id}`)).json).toMatchObject({
            message: 'one\n',
            verification: { verified: true },
          })
          const repo = join(folder, `clone-${format}`)
          expect(
            (await runProcess('git', ['clone', '-q', '--bare', `${server.url}/ann/${format}.git`, repo])).code,
          ).toBe(0)
          const settings = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${join(folder, 'allowed-all')}`]
          for (const verify of [
            ['verify-tag', 'v1'],
            ['verify-commit', 'main'],
          ]) {
            const { code, stderr } = await runProcess('git', ['-C', repo, ...settings, ...verify])
            expect([code, stderr.toString()], verify[0]).toEqual([
              0,
              expect.stringContaining('Good "git" signature for forge@example.test'),
            ])
          }
        }
      },
    )
  })
})
