import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { TaskPool } from '../../../../core/platform/isolation/index.ts'
import { isFalse } from './reading/condition.ts'
import { passesFilters } from './reading/filters.ts'
import type { Contexts } from './reading/expressions.ts'
import { planLateJobs } from './reading/plan-run.ts'
import type { Invalid, RunPlan } from './workflow.policy.ts'
import { createTask, type WorkflowTask } from './workflow.task.ts'

type Any = ReturnType<typeof JSON.parse>

interface Result {
  readonly found: RunPlan
  readonly invalid: Invalid
}

const task = createTask()
const read = (text: string): Result => JSON.parse(task({ text })) as Result
const plan = (text: string, contexts: Contexts = {}): Result => JSON.parse(task({ text, plan: { contexts } })) as Result
const job = (more: string): string => `on: push\njobs:\n  a:\n    ${more}\n`
const names = (text: string, contexts?: Contexts): string[] => plan(text, contexts).found.jobs.map(({ name }) => name)

describe('an invalid workflow', () => {
  it.each([
    ['line 1', '', 'on: [push'],
    ['line 1', 'twice', 'on: push\non: push\njobs: { a: {} }'],
    ['', 'must be a mapping', '[]'],
    ['', 'no "on"', 'jobs: { a: {} }'],
    ['jobs', 'at least one job', 'on: push'],
    ['jobs', 'more than 256', `on: push\njobs: { ${Array.from({ length: 257 }, (_, n) => `j${n}: {}`).join(', ')} }`],
    ['jobs.a.needs', 'names no job: b', job('needs: b')],
    ['jobs.a.name', 'without an end', job('name: "${{ github.actor"')],
    ['jobs.a.name', 'wrong expression', job('name: "${{ secrets.A }}"')],
    ['jobs.a.name', 'wrong expression', job('name: "${{ always() }}"')],
    ['jobs.a.name', 'wrong expression', job(`name: "\${{ ${'('.repeat(300)}1${')'.repeat(300)} }}"`)],
    ['jobs.a.name', 'longer than 21000', job(`name: "\${{ '${'x'.repeat(22_000)}' }}"`)],
    ['on.schedule.0', 'cron expression', `on: { schedule: [{ cron: [1] }] }\njobs: { a: {} }`],
    ['on.push.branches.0', 'must be a text', `on: { push: { branches: { a: b } } }\njobs: { a: {} }`],
  ])('at %s says %s', (place, reason, text) => {
    const { invalid } = read(text)
    expect(`line ${invalid.line} ${invalid.place} ${invalid.reason}`).toContain(place)
    expect(invalid.reason).toContain(reason)
    if (place.startsWith('jobs.a')) expect(invalid.line).toBe(4)
  })

  it('is one whose YAML aliases expand without end', () => {
    const bomb = `a: &a [x, x]\n${Array.from({ length: 9 }, (_, n) => `b${n}: &b${n} [${`*${n === 0 ? 'a' : `b${n - 1}`}, `.repeat(9)}]`).join('\n')}`
    expect(read(`on: push\njobs: { a: {} }\n${bomb}`).invalid.reason).toMatch(/alias/)
  })
})

describe('a plan', () => {
  it.each([
    ['{ a: [1, 2], b: [x] }', ['a (1, x)', 'a (2, x)']],
    ['{ a: [1, 2], exclude: [{ a: 2 }] }', ['a (1)']],
    ['{ include: [{ a: 1 }, { b: 2 }] }', ['a (1)', 'a (2)']],
    ['{ a: [{ x: 1, y: 2 }], exclude: [{ a: { x: 1 } }], include: [{ a: z }] }', ['a (z)']],
    ['"${{ fromJSON(github.m) }}"', ['a (1)', 'a (2)']],
    ['{ a: "${{ fromJSON(github.m).a }}" }', ['a (1)', 'a (2)']],
  ])('has a job for each combination of %s', (matrix, wanted) => {
    expect(names(job(`strategy: { matrix: ${matrix} }`), { github: { m: '{"a":[1,2]}' } })).toEqual(wanted)
  })

  it.each([
    [`{ ${['a', 'b', 'c', 'd', 'e', 'f'].map((key) => `${key}: [0,1,2,3,4,5,6,7,8,9]`).join(', ')} }`, 'more than 256'],
    ['{ a: [] }', 'at least one value'],
    ['{ a: x }', 'must be a list'],
    ['x', 'must be a mapping'],
    ['{}', 'must have a list of values'],
    ['{ include: 1 }', 'must be a list of mappings'],
  ])('refuses the matrix %s', (matrix, reason) => {
    const { invalid } = plan(job(`strategy: { matrix: ${matrix} }`))
    expect(invalid).toMatchObject({ line: 4, place: expect.stringMatching(/^jobs\.a\.strategy\.matrix/) })
    expect(invalid.reason).toContain(reason)
  })

  it.each([
    ['"${{ fromJSON(\'[\') }}"', 'cannot be evaluated'],
    ['{ a: "${{ fromJSON(vars.LIST || \'[]\') }}" }', 'at least one value'],
    ['{ a: [1, 2], exclude: "${{ vars.LIST || 1 }}" }', 'must be a list of mappings'],
    ['{ include: "${{ fromJSON(\'[]\') }}" }', 'must have a list of values'],
  ])('fails only the job with the matrix %s, whose expressions produce no jobs', (matrix, reason) => {
    const { jobs } = plan(`${job(`strategy: { matrix: ${matrix} }`)}  b: {}\n`).found
    expect(jobs.map(({ name, late }) => [name, late !== ''])).toEqual([
      ['a', true],
      ['b', false],
    ])
    expect(() => planLateJobs(jobs[0]!.late, {})).toThrow(reason)
  })

  it('leaves a job that calls another workflow to the runner, with all that it passes on', () => {
    const call = { uses: './.gitea/workflows/build.yml', with: { level: '${{ inputs.level }}' }, secrets: 'inherit' }
    const { jobs } = plan(`on: push\njobs: { a: ${JSON.stringify(call)}, b: { needs: a } }`).found
    expect(jobs.map(({ key, labels, steps }) => [key, labels, steps])).toEqual([
      ['a', [], []],
      ['b', [], []],
    ])
    expect((parse(jobs[0]!.payload) as Any).jobs.a).toEqual({ ...call, name: 'a' })
  })

  it('has the labels of a text, a list, or a mapping in which a group is one more label', () => {
    const forms = ['a', ['a', 'b'], { labels: 'a' }, { labels: ['a', 'b'], group: 'g' }, { group: 'g' }]
    for (const [at, labels] of [['a'], ['a', 'b'], ['a'], ['a', 'b', 'g'], ['g']].entries()) {
      const { jobs } = plan(`on: push\njobs: { a: { runs-on: ${JSON.stringify(forms[at])} } }`).found
      expect(jobs[0]!.labels).toEqual(labels)
    }
    const broken = plan('on: push\njobs: { a: { runs-on: { group: [[]] } } }')
    expect(broken.invalid.reason).toBe('must be a text')
  })

  it.each(['read', 'none', 'write', '[contents]', 'true'])('has no permissions that say %s', (value) => {
    for (const [text, path] of [
      [`permissions: ${value}\njobs: { a: { runs-on: x } }`, ['permissions']],
      [`jobs: { a: { runs-on: x, permissions: ${value} } }`, ['jobs', 'a', 'permissions']],
    ] as const) {
      const { invalid } = plan(`on: push\n${text}`)
      expect(invalid).toMatchObject({ place: path.join('.'), reason: 'must be read-all, write-all or a mapping' })
    }
    expect(plan('on: push\npermissions:\njobs: { a: { runs-on: x } }').found.jobs[0]!.permissions).toBe('')
  })

  it('contains texts in a form that YAML 1.1 reads as texts, too', () => {
    const values = ['on', 'yes', '1_000', '012', '2001-01-01', '1e3', '~', 'a: b', "it's", '<<']
    const text = job(`env: ${JSON.stringify(values)}`)
    const { payload } = plan(text).found.jobs[0]!
    expect(payload).toMatch(/^"on": push$/m)
    for (const version of ['1.1', '1.2'] as const)
      expect((parse(payload, { version }) as Any).jobs.a.env).toEqual(values)
  })

  it('has no control characters in names, and no text that an expression could not be', () => {
    expect(
      names(job(String.raw`name: "a\n\u0007${'${{ github.title }}'}"`), { github: { title: '\u001b[31mx\u0000' } }),
    ).toEqual(['a [31mx'])
    expect(names(job('name: "${{ constructor(1) }}"'))).toEqual(['a'])
  })

  it('evaluates concurrency', () => {
    const text = `concurrency: { group: "\${{ github.ref }}-\${{ inputs.x }}", cancel-in-progress: "\${{ github.ref != 'a' }}" }\n${job('concurrency: one')}`
    const { concurrency, jobs } = plan(text, { github: { ref: 'b' }, inputs: { x: 1 } }).found
    expect([concurrency, jobs[0]!.concurrency]).toEqual([
      { group: 'b-1', cancels: true },
      { group: 'one', cancels: false },
    ])
  })

  it('leaves a job that calls another workflow to the runner', () => {
    const text = job('uses: ./.gitea/workflows/b.yml\n    with: { x: "${{ github.ref }}" }\n    secrets: inherit')
    expect(plan(text).found.jobs[0]!.payload).toContain(
      'uses: ./.gitea/workflows/b.yml\n    with:\n      x: ${{ github.ref }}\n    secrets: inherit\n',
    )
  })

  it('ends in its child process when it exceeds its limits', async () => {
    const pool = new TaskPool()
    const kind = { url: new URL('workflow.task.ts', import.meta.url).href, deadline: 5000 }
    const grown = Array.from({ length: 40 }).reduce<string>(
      (text) => `format('{0}{0}{0}{0}{0}{0}{0}{0}', ${text})`,
      "'x'",
    )
    const input: WorkflowTask = { text: job(`name: "\${{ ${grown} }}"`), plan: { contexts: {} } }
    const outcome = await pool.run<WorkflowTask, string>(kind, input, 'a').catch((error: Error) => error.name)
    expect(outcome).toMatch(/TaskError|cannot be evaluated/)
    pool.close()
  }, 30_000)
})

it.each([
  ["needs.a.outputs.list != '[]'", true],
  ["${{ needs.a.outputs.list != '[]' }}", true],
  ["needs.a.outputs.list == '[]'", false],
  ["always() && needs.a.outputs.list != '[]'", true],
  ["gitea.ref == 'x'", true],
  ["github.ref == 'main' && !cancelled()", false],
  ['failure()', true],
  [false, true],
  [true, false],
  ['secrets.A', false],
  ['secrets.A || false', false],
  ["matrix.v == 'x'", false],
  ['inputs.x', false],
  ["fromJSON('[')", false],
  ['${{ false }} && ${{ true }}', false],
  ['(', false],
  ['', false],
  [undefined, false],
])('the if %j is false before its job is planned: %s', (condition, wanted) => {
  const contexts = { github: { ref: 'main' }, needs: { a: { result: 'success', outputs: { list: '[]' } } } }
  expect(isFalse(condition, contexts)).toBe(wanted)
})

it.each([
  ['true', true],
  ['always()', false],
  ['failure()', false],
  ['success()', true],
])('the if %j is false after a failure: %s', (condition, wanted) => {
  expect(isFalse(condition, { needs: { a: { result: 'success' }, b: { result: 'failure' } } })).toBe(wanted)
})

it.each([
  [{ branches: ['main', 'feature/*', '!feature/x'] }, { branch: 'feature/y' }, true],
  [{ branches: ['main', 'feature/*', '!feature/x'] }, { branch: 'feature/x' }, false],
  [{ branches: ['feature/*'] }, { branch: 'feature/a/b' }, false],
  [{ branches: ['feature/**'] }, { branch: 'feature/a/b' }, true],
  [{ branches: ['v[12].[0-9]+'] }, { branch: 'v2.10' }, true],
  [{ branches: ['colou?r'] }, { branch: 'color' }, true],
  [{ branches: [String.raw`a\*`] }, { branch: 'a*' }, true],
  [{ branches: ['('] }, { branch: '(' }, true],
  [{ 'branches-ignore': ['a*'] }, { branch: 'ab' }, false],
  [{ branches: ['x'] }, { tag: 'x' }, false],
  [{ branches: ['x'], tags: ['y'] }, { tag: 'y' }, true],
  [{ tags: ['y'] }, { branch: 'y' }, false],
  [{ paths: ['**/docs/**'] }, { branch: 'x', paths: ['docs/a'] }, true],
  [{ paths: ['**.js'] }, { branch: 'x', paths: ['a/b.js'] }, true],
  [{ paths: ['*.js'] }, { branch: 'x', paths: ['a/b.js'] }, false],
  [{ 'paths-ignore': ['docs/**'] }, { branch: 'x', paths: ['docs/a', 'b'] }, true],
  [{ 'paths-ignore': ['docs/**'] }, { branch: 'x', paths: ['docs/a'] }, false],
  [{ workflows: ['CI'] }, { workflow: 'CI', branch: 'main' }, true],
  [{ workflows: ['CI'] }, { workflow: 'Other' }, false],
  [{ branches: ['x'] }, {}, true],
])('the filters %j on %j pass: %s', (filters, facts, wanted) => {
  expect(passesFilters(filters, facts)).toBe(wanted)
})
