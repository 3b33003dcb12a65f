;; Works on bitsets in one memory, 16 bytes at a time. Addresses and lengths are in bytes, lengths
;; multiples of 16. Assembled into bit-kernel-bytes.ts by "npm run reference".
(module
  (import "bits" "memory" (memory 1 65536 shared))

  ;; Makes $to the common members of $a and $b, one of which it may be itself; how many they are.
  (func (export "intersect")
    (param $to i32) (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $both v128) (local $counts v128)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $both
          (v128.and (v128.load (local.get $a)) (v128.load (local.get $b))))
        (v128.store (local.get $to) (local.get $both))
        (local.set $counts
          (i32x4.add
            (local.get $counts)
            (i32x4.extadd_pairwise_i16x8_u
              (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt (local.get $both))))))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br $next)))
    (i32.add
      (i32.add
        (i32x4.extract_lane 0 (local.get $counts))
        (i32x4.extract_lane 1 (local.get $counts)))
      (i32.add
        (i32x4.extract_lane 2 (local.get $counts))
        (i32x4.extract_lane 3 (local.get $counts)))))

  ;; How many members $a and $b have in common.
  (func (export "countCommon")
    (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $counts v128)
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
        (local.set $counts
          (i32x4.add
            (local.get $counts)
            (i32x4.extadd_pairwise_i16x8_u
              (i16x8.extadd_pairwise_i8x16_u
                (i8x16.popcnt
                  (v128.and (v128.load (local.get $a)) (v128.load (local.get $b))))))))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br $next)))
    (i32.add
      (i32.add
        (i32x4.extract_lane 0 (local.get $counts))
        (i32x4.extract_lane 1 (local.get $counts)))
      (i32.add
        (i32x4.extract_lane 2 (local.get $counts))
        (i32x4.extract_lane 3 (local.get $counts))))))
