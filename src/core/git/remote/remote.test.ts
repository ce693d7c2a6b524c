import { describe, expect, it } from 'vitest'
import { clean, remoteError, invocationOf } from './remote.ts'

const settingsOf = (remote: Parameters<typeof invocationOf>[0]): Record<string, string> =>
  Object.fromEntries(invocationOf(remote).settings)

describe('the arguments and settings of git for a remote', () => {
  it('pins the checked addresses and allows only the protocol', () => {
    const settings = settingsOf({ url: 'https://git.example.org/a/b.git', addresses: ['192.0.2.1', '2001:db8::1'] })
    expect(settings).toMatchObject({
      'http.curloptResolve': 'git.example.org:443:192.0.2.1,[2001:db8::1]',
      'http.followRedirects': 'false',
      'protocol.https.allow': 'always',
      'credential.helper': '',
      'http.proxy': '',
    })
    expect(Object.keys(settings).filter((key) => key.startsWith('protocol.'))).toEqual(['protocol.https.allow'])
    expect(settings['http.sslVerify']).toBeUndefined()
    expect(settingsOf({ url: 'http://git.example.org:8080/a', addresses: ['192.0.2.1'] })['http.curloptResolve']).toBe(
      'git.example.org:8080:192.0.2.1',
    )
    expect(settingsOf({ url: 'http://[::1]:3000/a', addresses: ['::1'] })['http.curloptResolve']).toBeUndefined()
  })

  it('passes credentials in the environment, never in the URL', () => {
    const { url, settings } = invocationOf({
      url: 'https://git.example.org/a',
      addresses: ['192.0.2.1'],
      credentials: { username: 'joe', password: 'p:w\nx' },
    })
    expect(url).toBe('https://git.example.org/a')
    expect(Object.fromEntries(settings)['http.extraHeader']).toBe(
      `Authorization: Basic ${Buffer.from('joe:p:w\nx').toString('base64')}`,
    )
    expect(() => invocationOf({ url: 'https://joe:pw@git.example.org/a', addresses: ['192.0.2.1'] })).toThrow(
      'credentials do not belong into the address',
    )
  })

  it('connects git:// to the address and sends the host', () => {
    expect(invocationOf({ url: 'git://git.example.org:9000/a.git', addresses: ['2001:db8::1'] })).toMatchObject({
      url: 'git://[2001:db8::1]:9000/a.git',
      env: { GIT_OVERRIDE_VIRTUAL_HOST: 'git.example.org:9000' },
    })
  })

  it('quotes the arguments of ssh', () => {
    const { env } = invocationOf(
      { url: 'ssh://git@git.example.org:2222/a', addresses: ['192.0.2.1'], privateKey: 'x' },
      { keyFile: "/data/it's %h/key", knownHosts: '/data/known' },
    )
    expect(env['GIT_SSH_COMMAND']).toContain(String.raw`'IdentityFile="/data/it'\''s %%h/key"'`)
    expect(env['GIT_SSH_COMMAND']).toContain("'HostName=192.0.2.1' '-o' 'HostKeyAlias=[git.example.org]:2222'")
  })

  it.each(['file:///etc', 'ftp://example.org/x', 'ext::sh'])('refuses other protocols: %s', (url) => {
    expect(() => invocationOf({ url, addresses: ['192.0.2.1'] })).toThrow('cannot be used')
  })
})

describe('the error of a remote', () => {
  it.each([
    ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'auth'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'auth'],
    ['git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'auth'],
    ["fatal: repository 'https://x/' not found", 'missing'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 301", 'redirect'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 429", 'busy'],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", 'failed'],
    ['', 'failed'],
  ])('%j is %s', (stderr, kind) => expect(remoteError(stderr).kind).toBe(kind))

  it.each([
    "fatal: could not read Username for 'https://x': terminal prompts disabled",
    "fatal: could not read Password for 'https://joe@x': terminal prompts disabled",
    "fatal: Authentication failed for 'https://x/'",
    "remote: Not found.\nfatal: repository 'https://x/' not found",
  ])('%j says that the repository is missing or needs credentials', (stderr) => {
    expect(remoteError(stderr).message).toMatch(/^(?:remote: Not found.; )?the repository does not exist or needs cred/)
    expect(remoteError(stderr, true).message).toMatch(/does not exist or needs other credentials$/)
  })

  it('is reported without paths of this machine and without credentials', () => {
    expect(clean("unable to create '/data/git/repos/ab/x.git/objects': no")).toBe("unable to create '…': no")
    expect(clean("unable to access 'https://joe:pw@x/a.git'")).toBe("unable to access 'https://x/a.git'")
    expect(clean('x'.repeat(9000)).length).toBe(500)
  })
})
