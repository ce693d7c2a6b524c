import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGpg, hasProgram, type Gpg } from '../../harness/gpg.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let gpg: Gpg
let ann: Person
let bob: Person

/** Starts a server with the accounts for the tests of one describe block. */
function useWorld(): void {
  beforeAll(async () => {
    server = await startServer()
    gpg = createGpg()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
  })
  afterAll(async () => {
    gpg.close()
    await server.close()
  })
}

const token = async (person: Person): Promise<string> => (await person.client.get('/user/gpg_key_token')).text

describe('GPG key operations without keys', () => {
  useWorld()

  it('needs a signed-in user', async () => {
    const { anonymous } = server
    const answers = await Promise.all([
      anonymous.get('/user/gpg_keys'),
      anonymous.get('/users/ann/gpg_keys'),
      anonymous.get('/user/gpg_key_token'),
      anonymous.post('/user/gpg_keys', {}),
      anonymous.post('/user/gpg_key_verify', {}),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401])
  })

  it('answers why a text is not a key', async () => {
    const block = (text: string) =>
      `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${text}\n-----END PGP PUBLIC KEY BLOCK-----\n`
    const bodies = [
      {},
      { armored_public_key: '' },
      { armored_public_key: 'plain text' },
      { armored_public_key: block('rubbish') },
      { armored_public_key: 'x'.repeat(300_000) },
      { armored_public_key: block('').replaceAll('PUBLIC', 'PRIVATE') },
    ]
    const answers = await Promise.all(bodies.map((body) => ann.client.post('/user/gpg_keys', body)))
    expect(answers.map((answer) => answer.status)).toEqual(bodies.map(() => 422))
    const messages = answers.map((answer) => answer.json.message)
    expect(messages.slice(0, 3)).toEqual([
      '[ArmoredKey]: Required',
      '[ArmoredKey]: Required',
      'failed to parse gpg key no armored data found',
    ])
    expect(messages[3]).toMatch(/^failed to parse gpg key ./)
    expect(messages.slice(4)).toEqual([
      'failed to parse gpg key more than 262144 characters',
      'failed to parse gpg key the provided key is a private key',
    ])
  })

  it('answers an empty armored block and an image by name, and 404 for a private user', async () => {
    expect((await server.anonymous.get('//bob.gpg')).text).toContain('Note: This user has no GPG keys.')
    expect((await server.anonymous.get('//bob.keys')).text).toBe('# SSH keys of bob\n')
    expect((await server.anonymous.get('//bob.png')).status).toBe(303)
    expect((await server.anonymous.get('//nobody.gpg')).status).toBe(404)
    const eve = await server.world.user('eve', { visibility: 'private' })
    expect([
      (await server.anonymous.get('//eve.gpg')).status,
      (await bob.client.get('//eve.keys')).status,
      (await eve.client.get('//eve.keys')).status,
    ]).toEqual([404, 404, 200])
  })
})

describe.skipIf(!hasProgram('gpg', '--version'))('GPG keys made by gpg', () => {
  useWorld()

  it('adds a key with its subkey, lists it to others, exports and deletes it', async () => {
    const keyId = gpg.generate('Ann Example <ann@example.test>', { subkey: true, expires: '2y' })
    const made = await ann.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })
    expect([made.status, made.json.key_id, made.json.primary_key_id, made.json.emails, made.json.verified]).toEqual([
      201,
      keyId,
      '',
      [{ email: 'ann@example.test', verified: true }],
      false,
    ])
    expect(made.json.subkeys).toMatchObject([{ primary_key_id: keyId, emails: null, subkeys: null, can_sign: true }])
    for (const key of [made.json, ...made.json.subkeys])
      expect(key).toMatchObject({
        can_sign: true,
        can_certify: true,
        can_encrypt_comms: false,
        can_encrypt_storage: false,
      })
    expect(made.json.expires_at).toMatch(/^20[2-9]\d-/)
    const list = await bob.client.get('/users/ann/gpg_keys')
    expect([list.status, list.json, list.headers.get('x-total-count'), list.headers.get('link')]).toEqual([
      200,
      [made.json],
      '1',
      null,
    ])
    expect((await bob.client.get(`/user/gpg_keys/${made.json.id}`)).status).toBe(404)
    expect((await ann.client.get(`/user/gpg_keys/${made.json.id}`)).json).toEqual(made.json)
    expect((await ann.client.get(`/user/gpg_keys/${made.json.subkeys[0].id}`)).status).toBe(404)

    const other = createGpg()
    other.run(['--import'], (await server.anonymous.get('//ann.gpg')).text)
    expect(other.run(['--list-keys', '--with-colons'])).toContain(keyId)
    other.close()

    expect((await bob.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).json.message).toMatch(
      /^None of the emails/,
    )
    expect((await ann.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).json.message).toBe(
      'A key with the same id already exists',
    )
    expect((await bob.client.delete(`/user/gpg_keys/${made.json.id}`)).status).toBe(403)
    expect((await ann.client.delete(`/user/gpg_keys/${made.json.id}`)).status).toBe(204)
    expect((await ann.client.delete(`/user/gpg_keys/${made.json.id}`)).status).toBe(204)
    expect((await ann.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).status).toBe(201)
  })

  it('accepts a key without a matching address only with a signature over the token', async () => {
    const keyId = gpg.generate('Other <other@elsewhere.test>')
    const armored = gpg.export(keyId)
    const refused = await bob.client.post('/user/gpg_keys', { armored_public_key: armored })
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining(await token(bob))])
    const foreign = await bob.client.post('/user/gpg_keys', {
      armored_public_key: armored,
      armored_signature: gpg.sign(keyId, await token(ann)),
    })
    expect([foreign.status, foreign.json.message]).toEqual([
      422,
      expect.stringMatching(/^The provided GPG key, signature and token do not match/),
    ])
    const made = await bob.client.post('/user/gpg_keys', {
      armored_public_key: armored,
      armored_signature: gpg.sign(keyId, `${await token(bob)}\n`),
    })
    expect([made.status, made.json.verified, made.json.emails]).toEqual([201, true, []])
  })

  it('verifies a stored key, also by its subkey; key ids are case-insensitive', async () => {
    const keyId = gpg.generate('Bob <bob@example.test>', { algorithm: 'rsa2048', subkey: true })
    const made = await bob.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })
    expect([made.status, made.json.verified, made.json.can_encrypt_comms]).toEqual([201, false, true])
    const wrong = await bob.client.post('/user/gpg_key_verify', {
      key_id: keyId,
      armored_signature: gpg.sign(keyId, 'something else'),
    })
    expect(wrong.status).toBe(422)
    const signature = gpg.sign(keyId, await token(bob))
    expect(
      (await ann.client.post('/user/gpg_key_verify', { key_id: keyId, armored_signature: signature })).status,
    ).toBe(404)
    expect(
      (await bob.client.post('/user/gpg_key_verify', { key_id: 'FFFFFFFFFFFFFFFF', armored_signature: signature }))
        .status,
    ).toBe(404)
    const proved = await bob.client.post('/user/gpg_key_verify', {
      key_id: keyId.toLowerCase(),
      armored_signature: signature,
    })
    expect([proved.status, proved.json.verified]).toEqual([200, true])
  })

  it('stores every key of one text, and merges copies', async () => {
    const eva = await server.world.user('eva')
    const [one, two] = [gpg.generate('Eva <eva@example.test>'), gpg.generate('Eva Two <EVA@example.test>')]
    const made = await eva.client.post('/user/gpg_keys', {
      armored_public_key: gpg.export(one) + gpg.export(two) + gpg.export(one),
    })
    expect([made.status, made.json.key_id]).toEqual([201, one])
    expect((await eva.client.get('/user/gpg_keys')).json.map((key: { key_id: string }) => key.key_id)).toEqual([
      one,
      two,
    ])
  })

  it('deletes the keys of a deleted user', async () => {
    const root = await server.world.admin()
    const max = await server.world.user('max')
    const keyId = gpg.generate('Max <max@example.test>')
    expect((await max.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).status).toBe(201)
    expect((await root.client.delete('/admin/users/max?purge=true')).status).toBe(204)
    const again = await server.world.user('max')
    expect((await again.client.post('/user/gpg_keys', { armored_public_key: gpg.export(keyId) })).status).toBe(201)
  })
})
