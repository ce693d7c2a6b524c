import { expect, it } from 'vitest'
import { readDoctor } from '../../bench/nodes/doctor-report.ts'

it('reads what the doctor printed, each finding after the name of its check', () => {
  const lines = [
    'database: ok',
    'repositories:',
    '  PROBLEM  admin/repo-1: missing commit 3cba1d24: x',
    '  note  admin/repo-2: HEAD moved; a background job is about to change that',
    'pull requests: ok',
    'nodes:',
    '  PROBLEM  2 nodes are called node1',
    '2 problems found. Stop the server and run doctor --fix to repair what can be repaired safely.',
  ]
  expect(readDoctor(lines.join('\n'))).toEqual({
    problems: [
      'doctor: repositories: admin/repo-1: missing commit 3cba1d24: x',
      'doctor: nodes: 2 nodes are called node1',
    ],
    notes: ['doctor: repositories: admin/repo-2: HEAD moved; a background job is about to change that'],
  })
  expect(readDoctor('database: ok\nNothing is wrong.\n')).toEqual({ problems: [], notes: [] })
})

it('counts a doctor that ended early', () => {
  expect(readDoctor('database: ok\n').problems).toEqual(['doctor: it ended before its verdict'])
})
