import { describe, expect, it } from 'vitest'
import type { HookMessage } from '../payload.ts'
import { plainText } from './chat-message.ts'
import { describeMessage, formatMessage } from './describe-message.ts'
import { sampleMessages } from '../../../../../../test/delivery/hooks/sample-messages.ts'

const SENDING = { id: 'an-id', at: 1_700_000_000_500 }
const SAMPLES = sampleMessages({ title: 'A title', body: 'A text' })
const CHATS = ['slack', 'discord', 'dingtalk', 'telegram', 'msteams', 'feishu', 'matrix', 'wechatwork'] as const

const target = (type: string, more: object = {}) => ({
  type,
  url: 'http://chat.test/hook?key=1',
  settings: {},
  secret: '',
  ...more,
})
const request = (type: string, message: HookMessage, more?: object) =>
  formatMessage(target(type, more), message, SENDING)!
// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
const json = (type: string, message: HookMessage, more?: object): any => JSON.parse(request(type, message, more).body)
const sample = (type: string): HookMessage => SAMPLES.get(type)!
const of = (type: string, member: object): HookMessage => {
  const message = sample(type)
  return { ...message, payload: { ...message.payload, ...member } }
}

describe('the line of a chat', () => {
  it.each([
    ['create', '[ann/r] branch side/a b created by ann'],
    ['delete', '[ann/r] tag v1 deleted by ann'],
    ['fork', '[bob/r] forked from ann/r by ann'],
    ['issues', '[ann/r] issue opened: #7 A title by ann'],
    ['issue_assign', '[ann/r] issue assigned: #7 A title by ann'],
    ['issue_label', '[ann/r] issue labels cleared: #7 A title by ann'],
    ['issue_milestone', '[ann/r] issue added to milestone one: #7 A title by ann'],
    ['issue_comment', '[ann/r] comment created on issue #7 A title by ann'],
    ['package', '[ann] package created: tool A title by ann'],
    ['pull_request', '[ann/r] pull request opened: #7 A title by ann'],
    ['pull_request_assign', '[ann/r] pull request unassigned: #7 A title by ann'],
    ['pull_request_comment', '[ann/r] comment edited on pull request #7 A title by ann'],
    ['pull_request_label', '[ann/r] pull request labels updated: #7 A title by ann'],
    ['pull_request_milestone', '[ann/r] pull request taken from its milestone: #7 A title by ann'],
    ['pull_request_review_approved', '[ann/r] pull request approved: #7 A title by ann'],
    ['pull_request_review_comment', '[ann/r] pull request reviewed: #7 A title by ann'],
    ['pull_request_review_rejected', '[ann/r] pull request needs changes: #7 A title by ann'],
    ['pull_request_review_request', '[ann/r] pull request has a review by bob requested: #7 A title by ann'],
    ['pull_request_sync', '[ann/r] pull request has new commits: #7 A title by ann'],
    ['push', '[ann/r] 2 new commits pushed to main by ann'],
    ['release', '[ann/r] release published: A title by ann'],
    ['repository', '[ann/r] repository created by ann'],
    ['status', '[ann/r] ci: failure for 0123456789 by ann'],
    ['wiki', '[ann/r] wiki page edited: Home-page by ann'],
    ['workflow_job', '[ann/r] workflow job queued: A title by ann'],
    ['workflow_run', '[ann/r] workflow run failure: A title by ann'],
  ])('of %s is %j', (type, line) => {
    expect(plainText(describeMessage(sample(type))!.head)).toBe(line)
  })

  it('describes every action in words', () => {
    const line = (type: string, member: object): string => plainText(describeMessage(of(type, member))!.head)
    const { issue } = sample('issues').payload as { readonly issue: object }
    expect(line('issue_label', { action: 'label_updated' })).toContain('issue labels updated: ')
    expect(line('issue_milestone', { issue: { ...issue, milestone: null } })).toContain(
      'issue taken from its milestone',
    )
    expect(line('pull_request', { action: 'closed' })).toContain('pull request merged: ')
    expect(line('push', { total_commits: 1 })).toContain('1 new commit pushed')
    expect(line('release', { release: { name: '', tag_name: 'v1', body: '' } })).toContain('release published: v1')
  })

  it('links to the objects that it names', () => {
    const links = (type: string): string[] =>
      describeMessage(sample(type))!.head.flatMap(({ text, url }) => (url ? `${text} ${url}` : []))
    expect(links('create')).toEqual([
      'ann/r http://git.test/ann/r',
      'side/a b http://git.test/ann/r/src/branch/side/a%20b',
      'ann http://git.test/ann',
    ])
    expect(links('issue_comment')).toContain('comment http://git.test/ann/r/issues/7#issuecomment-9')
    expect(links('wiki')).toContain('Home-page http://git.test/ann/r/wiki/Home-page')
    expect(links('delete')).not.toContain('v1')
  })

  it('is green for creations and red for deletions', () => {
    const tones = ['opened', 'closed', 'edited'].map((action) => describeMessage(of('issues', { action }))!.tone)
    expect(tones).toEqual(['good', 'bad', 'changed'])
    expect(describeMessage(of('status', { state: 'success' }))!.tone).toBe('good')
    expect(describeMessage(of('status', { state: 'pending' }))!.tone).toBe('neutral')
  })
})

describe.each(CHATS)('%s', (type) => {
  it.each([...SAMPLES.keys()])('has a text for %s', (eventType) => {
    const { method, contentType, body } = request(type, sample(eventType))
    expect([method, contentType]).toEqual([type === 'matrix' ? 'PUT' : 'POST', 'application/json'])
    expect(body).toContain(eventType === 'fork' ? 'bob/r' : eventType === 'package' ? 'ann' : 'ann/r')
  })

  it('skips pushes without commits and unsupported event types', () => {
    expect(formatMessage(target(type), of('push', { commits: [] }), SENDING)).toBeUndefined()
    expect(formatMessage(target(type), { ...sample('push'), eventType: 'unknown' }, SENDING)).toBeUndefined()
  })

  it('shortens texts of any length to its limits', () => {
    for (const body of ['€'.repeat(100_000), '<'.repeat(100_000), '😀'.repeat(100_000), '\\'.repeat(100_000)])
      for (const message of sampleMessages({ title: body, body }).values())
        expect(Buffer.byteLength(request(type, message).body)).toBeLessThan(type === 'matrix' ? 60_000 : 25_000)
  })
})

describe('texts of users', () => {
  const hostile = sampleMessages({
    title: '<!channel> & *b* [x](http://evil.test) `c` | @all',
    body: '<at user_id="all"></at> <script>\0\u0007',
  })
  const issue = hostile.get('issues')!

  it('are escaped for slack', () => {
    const { text, attachments } = json('slack', issue)
    expect(text).toContain('|#7 &lt;!channel&gt; &amp; *b* [x](http://evil.test) `c` ¦ @all>')
    expect(attachments[0].text).toBe('&lt;at user_id="all"&gt;&lt;/at&gt; &lt;script&gt;  ')
  })

  it('are escaped for telegram and matrix', () => {
    const escaped = '#7 &lt;!channel&gt; &amp; *b* [x](http://evil.test) `c` | @\u200Ball</a>'
    expect(json('telegram', issue).text).toContain(escaped)
    expect(json('matrix', issue).formatted_body).toContain(escaped)
    expect(json('matrix', issue).body).toContain('<\u200B!channel>')
  })

  it('are escaped for chats with Markdown', () => {
    const escaped = String.raw`#7 \<!channel\> & \*b\* \[x\]\(http://evil.test\) \`c\` \| @all`
    expect(json('dingtalk', issue).actionCard.text).toContain(escaped.replace('#', String.raw`\#`))
    expect(json('msteams', issue).title).toContain(
      String.raw`\#7 &lt;!channel&gt; &amp; \*b\* \[x\]\(http://evil.test\) \`c\` \| @all`,
    )
    expect(json('discord', issue).embeds[0].description).toContain(String.raw`\<script\>`)
    expect(json('discord', issue).content).toBe('')
    expect(json('wechatwork', issue).markdown.content).toContain('#7 &lt;!channel&gt; &amp; &#42;b&#42; &#91;x&#93;(')
  })

  it('mention no member in feishu', () => {
    expect(json('feishu', issue).content.text).toContain('<\u200Bat user_id="all">')
  })

  it('mention no member in any chat', () => {
    const text = '@everyone @room @ann <!here> <@U1> <@&9> <at id=all></at>'
    for (const message of sampleMessages({ title: text, body: text }).values()) {
      expect(json('telegram', message).text).not.toMatch(/@\w/)
      expect(json('matrix', message).body + json('matrix', message).formatted_body).not.toMatch(/@\w/)
      expect(json('feishu', message).content.text).not.toMatch(/<[@a]|@\w/)
      for (const type of ['slack', 'wechatwork'] as const) expect(request(type, message).body).not.toMatch(/<[@!a]/)
      expect(json('discord', message)).toMatchObject({ content: '', tts: false })
      const { title, description } = json('discord', message).embeds[0]
      const card = json('msteams', message)
      const shown = [title, description, json('dingtalk', message).actionCard.text, card.title, card.sections[0].text]
      expect(shown.join(' ')).not.toMatch(/(?<!\\)<[@a]/)
    }
  })

  it('cannot add lines, change the text direction or contain invisible characters', () => {
    const title = 'a\r\n[ann/r] build passed\u2028b \u202Egnp.exe\u2066 \uD83D\u0085\u{E0041}\uFEFF'
    const body = `- list\n1. one\n=====\n# head\n${'\n'.repeat(500)}end`
    for (const message of sampleMessages({ title, body }).values()) {
      const { head, title: shown, details } = describeMessage(message)!
      expect([...head, shown].map((span) => span.text).join('')).not.toMatch(/[\n\r\u2028]/)
      expect(details).not.toContain('\n\n\n')
      for (const type of CHATS) {
        const { body: sent } = request(type, message)
        expect(sent).not.toMatch(/[\u202A-\u202E\u2066-\u2069\x7f-\x9f\uFEFF]|\\u[dD][89a-fA-F]|\\u202[eE]|\udb40/)
      }
    }
    const release = sampleMessages({ title, body }).get('release')!
    const lines = String.raw`\- list
1\. one
\=====
\# head

end`
    expect(json('discord', release).embeds[0].description).toBe(lines)
    expect(json('msteams', release).sections[0].text).toBe(lines)
    expect(json('wechatwork', release).markdown.content).toContain('\n&#35; head')
  })

  it('are shortened to the limits of each chat after escaping, never within a character', () => {
    for (const text of ['*'.repeat(5000), '😀*'.repeat(3000), '&'.repeat(5000)])
      for (const message of sampleMessages({ title: text, body: text }).values()) {
        const { title, description } = json('discord', message).embeds[0]
        expect([title.length <= 256, description.length <= 4096]).toEqual([true, true])
        // An escape that was cut would escape the ellipsis.
        expect(title).not.toMatch(/(?<!\\)(?:\\\\)*\\…/)
        expect(json('telegram', message).text.length).toBeLessThanOrEqual(4096)
        expect(Buffer.byteLength(json('wechatwork', message).markdown.content)).toBeLessThanOrEqual(4096)
        for (const type of CHATS) expect(request(type, message).body).not.toMatch(/\\u[dD][89a-fA-F]/)
      }
  })

  it.each([
    ['javascript:alert(1)', undefined],
    ['http://github.com@evil.test/', undefined],
    [`http://ci.test/${'a'.repeat(2000)}`, undefined],
    ['http://gıthub.test/1', 'http://xn--gthub-n4a.test/1'],
    ['HTTPS://CI.test/1', 'https://ci.test/1'],
  ])('with the address %j link to %j or to the commit', (target_url, shown) => {
    const message = of('status', { target_url })
    const { url } = (message.payload as { readonly commit: { readonly url: string } }).commit
    expect(json('slack', message).attachments[0].title_link).toBe(shown ?? url)
  })

  it('cannot end the address of a link', () => {
    const status = of('status', { target_url: 'http://ci.test/a>b|c)d"e\'f<g h' })
    const commit = { url: 'http://ci.test/a>b|c)d"e\'f<g h' }
    const message = { ...status, payload: { ...status.payload, commit } }
    const address = 'http://ci.test/a%3Eb%7Cc%29d%22e%27f%3Cg%20h'
    expect(json('slack', message).text).toContain(`<${address}|0123456789>`)
    expect(json('telegram', message).text).toContain(`<a href="${address}">`)
    expect(json('dingtalk', message).actionCard.text).toContain(`[0123456789](${address})`)
  })
})

describe('the request', () => {
  it('for slack has the options of the webhook', () => {
    const settings = { channel: '#dev', username: 'git', icon_url: 'http://i.test/i', color: '#123456' }
    expect(json('slack', sample('issues'), { settings })).toEqual({
      channel: '#dev',
      text:
        '[<http://git.test/ann/r|ann/r>] issue opened: <http://git.test/ann/r/issues/7|#7 A title> by ' +
        '<http://git.test/ann|ann>',
      username: 'git',
      icon_url: 'http://i.test/i',
      unfurl_links: 0,
      link_names: 0,
      attachments: [
        {
          fallback: '[ann/r] issue opened: #7 A title by ann',
          color: '#123456',
          title: '#7 A title',
          title_link: 'http://git.test/ann/r/issues/7',
          text: 'A text',
        },
      ],
    })
    expect(json('slack', sample('repository')).attachments).toEqual([])
  })

  it('for discord has an embed with the commits', () => {
    const embed = json('discord', sample('push')).embeds[0]
    expect(embed).toMatchObject({
      title: String.raw`\[ann/r\] 2 new commits pushed to main by ann`,
      url: 'http://git.test/ann/r/compare/a...b',
      color: 0x1e90ff,
      author: { name: 'ann', url: 'http://git.test/ann', icon_url: 'http://git.test/avatars/ann' },
    })
    const link = `[0123456789](http://git.test/ann/r/commit/${'0123456789'.repeat(4)})`
    expect(embed.description).toBe(`${link} A title - Cy\n${link} A title - Cy`)
  })

  it('for telegram is HTML', () => {
    expect(json('telegram', sample('repository'))).toEqual({
      text: '[<a href="http://git.test/ann/r">ann/r</a>] repository created by <a href="http://git.test/ann">ann</a>',
      parse_mode: 'HTML',
      disable_web_page_preview: true,
    })
  })

  it('for msteams is a card', () => {
    expect(json('msteams', sample('issues'))).toEqual({
      '@type': 'MessageCard',
      '@context': 'https://schema.org/extensions',
      themeColor: '1ac600',
      title: String.raw`\[ann/r\] issue opened: \#7 A title by ann`,
      summary: '[ann/r] issue opened: #7 A title by ann',
      sections: [{ activityTitle: 'ann', activityImage: 'http://git.test/avatars/ann', text: 'A text' }],
      potentialAction: [
        { '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: 'http://git.test/ann/r/issues/7' }] },
      ],
    })
  })

  it('for feishu is signed where the webhook has a secret', () => {
    const text = '[ann/r (http://git.test/ann/r)] repository created by ann (http://git.test/ann)'
    expect(json('feishu', sample('repository'))).toEqual({ msg_type: 'text', content: { text } })
    expect(json('feishu', sample('repository'), { secret: 'key' })).toEqual({
      timestamp: 1_700_000_000,
      sign: 'q6Oev4Wrs23QSZVkmQVsgFJ6N6asqz82R5NA5r3kxD0=',
      msg_type: 'text',
      content: { text },
    })
  })

  it('for matrix is put under the id of the delivery', () => {
    const settings = { message_type: '2' }
    expect(request('matrix', sample('push')).url).toBe('http://chat.test/hook/an-id?key=1')
    expect(json('matrix', sample('push')).msgtype).toBe('m.notice')
    expect(json('matrix', sample('push'), { settings })).toMatchObject({
      msgtype: 'm.text',
      format: 'org.matrix.custom.html',
    })
    expect(json('matrix', sample('push')).formatted_body.split('<br>')).toHaveLength(3)
  })

  it('for wechatwork and dingtalk contains the line and the text', () => {
    expect(json('wechatwork', sample('issues')).markdown.content).toBe(
      '&#91;[ann/r](http://git.test/ann/r)&#93; issue opened: [#7 A title](http://git.test/ann/r/issues/7) by ' +
        '[ann](http://git.test/ann)\nA text',
    )
    expect(json('dingtalk', sample('issues')).actionCard).toMatchObject({
      title: '[ann/r] issue opened: #7 A title by ann',
      singleTitle: '#7 A title',
      singleURL: 'http://git.test/ann/r/issues/7',
    })
  })

  it('for packagist is the address of the repository, only for pushes', () => {
    expect(json('packagist', sample('push'))).toEqual({ repository: { url: 'http://git.test/ann/r' } })
    expect(formatMessage(target('packagist'), sample('issues'), SENDING)).toBeUndefined()
  })

  it('for sourcehut_builds is undefined', () => {
    expect(formatMessage(target('sourcehut_builds'), sample('push'), SENDING)).toBeUndefined()
  })
})
