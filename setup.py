"""Install the Python package and the files that ROS looks for under share/robot_dynamics."""

from glob import glob

from setuptools import setup

SHARE = 'share/robot_dynamics'

setup(
    python_requires='>=3.10',  # in setup.cfg it would stop colcon from reading this package
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/robot_dynamics']),
        (SHARE, ['package.xml']),
        *((f'{SHARE}/{folder}', glob(f'{folder}/*.*'))
          for folder in ('launch', 'config', 'config/sros2', 'urdf', 'rviz')),
    ],
)
