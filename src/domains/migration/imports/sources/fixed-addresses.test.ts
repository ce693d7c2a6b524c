import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeService, locationOf, startFakeService } from '../../../../../test/migration/fake-service.ts'
import type { OutgoingClient } from '../../../../core/platform/outgoing/index.ts'
import type { OpenSource } from '../source-location.ts'
import { openCodebase } from './codebase/codebase.source.ts'
import { openCodecommit } from './codecommit/codecommit.source.ts'

const signal = new AbortController().signal
const credentials = { username: 'dan', password: 'their-key' }
const awsKeys = { id: 'AKID', secret: 'their-secret' }
let service: FakeService
let sent: { readonly url: string; readonly authorization: string }[]

beforeEach(async () => {
  service = await startFakeService()
  sent = []
})
afterEach(() => service.close())

/** Reads the facts of a repository; no request leaves this machine. */
async function read(open: OpenSource, address: string, body: string): Promise<unknown> {
  const request = async (url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push({ url, authorization: headers['authorization'] ?? '' })
    return { status: 200, headers: {}, url, body: Buffer.from(body) }
  }
  const deps = { ...service.deps, client: { request } as unknown as OutgoingClient }
  return open(deps, locationOf(address, { credentials, awsKeys, withIssues: false })).facts(signal)
}

describe('the credentials of services that have one address for all', () => {
  it('go to the API of Codebase only for its own hosts', async () => {
    const xml = '<repository><description>d</description></repository>'
    await expect(read(openCodebase, 'https://acme.codebasehq.com/widgets/app.git', xml)).resolves.toMatchObject({
      description: 'd',
    })
    const [{ url, authorization }] = sent as [(typeof sent)[number]]
    expect([url, Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()]).toEqual([
      'https://api3.codebasehq.com/widgets/app',
      'acme/dan:their-key',
    ])
    expect(new Set(sent.map(({ url: each }) => new URL(each).origin))).toEqual(new Set(['https://api3.codebasehq.com']))
    sent = []
    for (const host of ['codebasehq.com.example.org', 'notcodebasehq.com', '127.0.0.1'])
      await expect(read(openCodebase, `https://${host}/widgets/app.git`, xml)).rejects.toThrow('is no host of Codebase')
    expect(sent).toEqual([])
  })

  it('sign requests to the region of an address of CodeCommit, and no others', async () => {
    const json = JSON.stringify({ repositoryMetadata: { repositoryDescription: 'd' } })
    for (const [host, api, region] of [
      ['git-codecommit.eu-west-1.amazonaws.com', 'codecommit.eu-west-1.amazonaws.com', 'eu-west-1'],
      ['git-codecommit.cn-north-1.amazonaws.com.cn', 'codecommit.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ] as const) {
      sent = []
      await read(openCodecommit, `https://${host}/v1/repos/app`, json)
      expect(sent).toEqual([
        {
          url: `https://${api}/`,
          authorization: expect.stringContaining(`Credential=AKID/20260102/${region}/codecommit/aws4_request`),
        },
      ])
      expect(sent[0]!.authorization).not.toContain('their-secret')
    }
    sent = []
    for (const host of ['git-codecommit.eu-west-1.amazonaws.com.example.org', 'example.org'])
      await expect(read(openCodecommit, `https://${host}/v1/repos/app`, json)).rejects.toThrow(
        'is no host of CodeCommit',
      )
    expect(sent).toEqual([])
  })
})
