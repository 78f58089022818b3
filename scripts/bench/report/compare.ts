import type { Figure, Run } from '../figures.ts'

/** A figure may be off by so much before the check fails: a fifth. */
export const usualTolerance = 0.2

/** What a check finds of one figure. */
export type Finding =
  | { kind: 'off'; key: string; title: string; unit: string; committed: number; now: number }
  | { kind: 'missing'; key: string; title: string }

/**
 * Figures that are held and differ from the committed run by more than the tolerance, and those that
 * only one of the two has. Better counts as off too: the committed results are then to be renewed, so
 * that the next change is held to what was reached.
 */
export function compareRuns(
  committed: Pick<Run, 'figures'>,
  now: Pick<Run, 'figures'>,
  tolerance = usualTolerance,
): Finding[] {
  const held = ({ figures }: Pick<Run, 'figures'>) => figures.filter(({ checked }) => checked)
  const before = new Map(held(committed).map((figure) => [figure.key, figure]))
  const after = new Map(held(now).map((figure) => [figure.key, figure]))
  const missing = [...held(committed), ...held(now)]
    .filter(({ key }) => !before.has(key) || !after.has(key))
    .map(({ key, title }): Finding => ({ kind: 'missing', key, title }))
  const off = [...after.values()].flatMap((figure): Finding[] => {
    const known = before.get(figure.key)
    return known !== undefined && isOff(known, figure, tolerance) ? [offOf(known, figure)] : []
  })
  return [...off, ...missing]
}

function isOff(committed: Figure, now: Figure, tolerance: number): boolean {
  const [was, is] = [committed.value.median, now.value.median]
  return !(Math.abs(is - was) <= Math.abs(was) * tolerance)
}

function offOf({ value }: Figure, now: Figure): Finding {
  const { key, title, unit } = now
  return { kind: 'off', key, title, unit, committed: value.median, now: now.value.median }
}

/** One line for people. */
export function wordsOf(finding: Finding): string {
  switch (finding.kind) {
    case 'missing':
      return `${finding.key} (${finding.title}) is in one of the two runs only`
    case 'off': {
      const { key, title, unit, committed, now } = finding
      const percent = committed === 0 ? '' : `, ${signed((now / committed - 1) * 100)} %`
      return `${key} (${title}): ${now.toFixed(3)} ${unit}, committed ${committed.toFixed(3)}${percent}`
    }
  }
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(0)}`
}
