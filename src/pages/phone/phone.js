// The keypad types into the phone's field, and so does the keyboard while no other field has focus.
;(() => {
  const field = () => document.getElementById('typed')

  function type(key) {
    const input = field()
    // The first key replaces the suggested code.
    if (input.value === input.defaultValue) input.value = ''
    input.value += key
    input.setSelectionRange(input.value.length, input.value.length)
  }

  document.addEventListener('click', (event) => {
    const key = event.target.closest('[data-key]')?.dataset.key
    if (key !== undefined) type(key)
  })

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') document.getElementById('hangup').click()
    const isTyping = event.target.matches('input:not([type=radio]), select, textarea')
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    if (/^[0-9*#+.,]$/.test(event.key)) type(event.key)
    if (event.key === 'Backspace') field().value = field().value.slice(0, -1)
    if (event.key === 'Enter' && !event.target.matches('button, a')) {
      document.getElementById('send').click()
    }
  })

  setInterval(() => {
    const timer = document.getElementById('timer')
    if (timer === null) return
    const until = Number(timer.dataset.ended ?? Date.now())
    const seconds = Math.max(0, Math.floor((until - Number(timer.dataset.since)) / 1_000))
    timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }, 250)
})()
