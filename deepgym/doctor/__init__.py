"""`deepgym doctor`: what this machine offers a sandbox, and an attempt at everything that a sandbox must stop."""

from deepgym.doctor.observation import Finding
from deepgym.doctor.probes import Machine, Probe
from deepgym.doctor.remedies import Remedy
from deepgym.doctor.report import Report, examine
from deepgym.doctor.violation import Violation

__all__ = ["Finding", "Machine", "Probe", "Remedy", "Report", "Violation", "examine"]
