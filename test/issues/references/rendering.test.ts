import { describe, expect, it } from 'vitest'
import { createIssue, issueWorld } from '../issue-world.ts'

describe('rendered references', () => {
  const world = issueWorld()

  it('are the same whether the issue exists, is hidden or does not exist', async () => {
    const hidden = await createIssue(world.ann, { title: 'A hidden title' }, 'ann/vault')
    const render = async (number: number): Promise<string> => {
      const text = `ann/vault#${number} ${world.server.url}/ann/vault/issues/${number}`
      const request = { Text: text, Mode: 'comment', Context: 'ann/desk' }
      const answers = [world.ann.client, world.bob.client, world.server.anonymous].map(
        async (client) => (await client.post('/markdown', request)).text,
      )
      const [own, ...others] = await Promise.all(answers)
      for (const other of others) expect(other).toBe(own)
      return own!.replaceAll(new RegExp(`(?<=#|issues/)${number}\\b`, 'g'), 'N')
    }
    const html = await render(hidden.number)
    expect(html).toContain('class="ref-issue"')
    expect(html).not.toContain('hidden title')
    expect(await render(987_654)).toBe(html)
  })
})
