// A paw that strikes at a place: the mark of a snatch.
import { find } from './fly';

const PAW =
  '<svg viewBox="0 0 100 100" aria-hidden="true"><g fill="#8a4b1d"><ellipse cx="50" cy="66" rx="25" ry="21"/>' +
  '<ellipse cx="20" cy="42" rx="10" ry="14"/><ellipse cx="40" cy="25" rx="10" ry="15"/>' +
  '<ellipse cx="61" cy="25" rx="10" ry="15"/><ellipse cx="81" cy="42" rx="10" ry="14"/></g>' +
  '<g fill="none" stroke="#fff6e5" stroke-width="3.5" stroke-linecap="round"><path d="M20 27v-9M40 9V1M61 9V1M81 27v-9"/></g></svg>';

export function strike(place: string, time: number): void {
  const target = find([place]);
  if (!target || time === 0 || document.hidden) return;
  const box = target.getBoundingClientRect();
  const size = Math.max(44, Math.min(120, Math.max(box.width, box.height) * 0.8));
  const paw = document.createElement('div');
  paw.className = 'paw';
  paw.innerHTML = PAW;
  Object.assign(paw.style, {
    left: `${box.left + box.width / 2 - size / 2}px`,
    top: `${box.top + box.height / 2 - size / 2}px`,
    width: `${size}px`,
  });
  document.body.append(paw);
  const animation = paw.animate(
    [
      { transform: `translate(${size * 0.7}px, ${-size * 0.9}px) rotate(38deg) scale(.7)`, opacity: 0 },
      { transform: 'translate(0, 0) rotate(8deg) scale(1)', opacity: 1, offset: 0.42, easing: 'ease-in' },
      { transform: 'translate(-4px, 6px) rotate(2deg) scale(.96)', opacity: 1, offset: 0.68 },
      { transform: `translate(${-size * 0.2}px, ${size * 0.5}px) rotate(-14deg) scale(.8)`, opacity: 0 },
    ],
    { duration: Math.max(420, time * 1.4), easing: 'ease-out' },
  );
  void animation.finished.catch(() => {}).then(() => paw.remove());
}
