/** Names how what is drawn looks; the text beside a chart says what it means. */
export type Tone = 'good' | 'fair' | 'wait' | 'warm' | 'bad'

export type Share = { value: number; tone: Tone }

/** Draws shares of a whole, by default of their sum. It is for eyes alone: a text says the same. */
export function Bar({ shares, whole }: { shares: readonly Share[]; whole?: number }) {
  const sum = Math.max(
    whole ?? 0,
    shares.reduce((total, { value }) => total + value, 0),
  )
  const percents = shares.map(({ value }) => (sum === 0 ? 0 : (value / sum) * 100))
  return (
    <svg class="chart" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {shares.map(({ tone }, index) => {
        const from = percents.slice(0, index).reduce((total, percent) => total + percent, 0)
        const width = (percents[index] ?? 0).toFixed(2)
        return <rect class={tone} x={from.toFixed(2)} width={width} height={10} />
      })}
    </svg>
  )
}

const columnHeight = 40

/** Draws numbers as columns. It is for eyes alone: a text says the same. */
export function Columns({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  return (
    <svg
      class="chart columns"
      viewBox={`0 0 ${values.length * 4} ${columnHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(3, (value / most) * columnHeight)
        const tone = value === 0 ? 'rest' : 'good'
        const y = (columnHeight - height).toFixed(1)
        return <rect class={tone} x={index * 4} y={y} width={3} height={height.toFixed(1)} />
      })}
    </svg>
  )
}
